//! Building, walking and reading MLIR: what melior spells at length, and typed views of the dialect's attributes and types.

use melior::ir::attribute::{AttributeLike as _, IntegerAttribute, StringAttribute, TypeAttribute};
use melior::ir::block::BlockLike as _;
use melior::ir::operation::{OperationBuilder, OperationLike as _, OperationMutLike as _, OperationRefMut};
use melior::ir::r#type::{IntegerType, TypeLike as _};
use melior::ir::{Attribute, Identifier, Location, OperationRef, RegionLike as _, Type, Value, ValueLike as _};
use melior::{Context, ContextRef};
use mlir_sys::{
    MlirAttribute, MlirOperation, MlirType, mlirOperationDestroy, mlirOperationRemoveFromParent,
    mlirSymbolTableGetSymbolAttributeName, mlirValueReplaceAllUsesOfWith,
};

unsafe extern "C" {
    fn giccEnumerationValue(attribute: MlirAttribute) -> i64;
    fn giccEventGroup(ty: MlirType) -> i64;
    fn giccChannelType(
        ty: MlirType,
        element: *mut MlirType,
        protocol: *mut i64,
        slots: *mut i64,
        capacity: *mut i64,
    ) -> bool;
    fn giccGatherDomains(operation: MlirOperation);
}

/// The domains of a function's arguments become one attribute of the function; of what is no function, nothing.
pub fn gather_domains(operation: OperationRef<'_, '_>) {
    // SAFETY: the operation is alive.
    unsafe { giccGatherDomains(operation.to_raw()) }
}

/// The number of an attribute that is one of the dialect's enumerations: that of `gicc_abi::codes`.
pub fn enumeration(operation: OperationRef<'_, '_>, name: &str) -> Option<u64> {
    let attribute = operation.attribute(name).ok()?;
    // SAFETY: the attribute is alive.
    u64::try_from(unsafe { giccEnumerationValue(attribute.to_raw()) }).ok()
}

/// The number of an integer attribute.
pub fn integer(operation: OperationRef<'_, '_>, name: &str) -> Option<i64> {
    IntegerAttribute::try_from(operation.attribute(name).ok()?).ok().map(|a| a.value())
}

/// The type in a type attribute.
pub fn type_attribute<'c>(operation: OperationRef<'c, '_>, name: &str) -> Option<Type<'c>> {
    TypeAttribute::try_from(operation.attribute(name).ok()?).ok().map(|a| a.value())
}

/// The name that a symbol reference or a string attribute holds.
pub fn name_attribute(operation: OperationRef<'_, '_>, name: &str) -> Option<String> {
    let attribute = operation.attribute(name).ok()?;
    if let Ok(string) = StringAttribute::try_from(attribute) {
        return Some(string.value().to_owned());
    }
    let symbol = melior::ir::attribute::FlatSymbolRefAttribute::try_from(attribute).ok()?;
    Some(symbol.value().to_owned())
}

/// The name that a symbol is defined under.
pub fn symbol_name(operation: OperationRef<'_, '_>) -> Option<String> {
    // SAFETY: returns a constant.
    let key = unsafe { melior::StringRef::from_raw(mlirSymbolTableGetSymbolAttributeName()) };
    name_attribute(operation, key.as_str().ok()?)
}

/// The operation's name, for example `gicc.put`.
pub fn name_of(operation: OperationRef<'_, '_>) -> String {
    operation.name().as_string_ref().as_str().unwrap_or_default().to_owned()
}

/// The operand of this number.
pub fn operand<'c, 'a>(operation: OperationRef<'c, 'a>, n: usize) -> Option<Value<'c, 'a>> {
    operation.operand(n).ok()
}

/// Every operation below (and not) `root`, each before those inside it, in order.
pub fn all_below<'c, 'a>(root: OperationRef<'c, 'a>) -> Vec<OperationRef<'c, 'a>> {
    let mut found = Vec::new();
    let mut open = vec![root];
    while let Some(operation) = open.pop() {
        if operation != root {
            found.push(operation);
        }
        let mut inside = Vec::new();
        for region in operation.regions() {
            for block in std::iter::successors(region.first_block(), |b| b.next_in_region()) {
                inside.extend(std::iter::successors(block.first_operation(), |o| o.next_in_block()));
            }
        }
        open.extend(inside.into_iter().rev());
    }
    found
}

/// The group of an event's type.
pub fn event_group(ty: Type<'_>) -> Option<u64> {
    // SAFETY: the type is alive.
    u64::try_from(unsafe { giccEventGroup(ty.to_raw()) }).ok()
}

/// A channel's type.
#[derive(Clone, Copy, Debug)]
pub struct ChannelType<'c> {
    /// Element type.
    pub element: Type<'c>,
    /// `gicc_abi::codes::Protocol`.
    pub protocol: u64,
    /// Slots.
    pub slots: i64,
    /// Elements of a slot.
    pub capacity: i64,
}

/// The parts of a channel's type; nothing of another type.
pub fn channel_type<'c>(ty: Type<'c>) -> Option<ChannelType<'c>> {
    let mut element = MlirType { ptr: std::ptr::null_mut() };
    let (mut protocol, mut slots, mut capacity) = (0, 0, 0);
    // SAFETY: the type is alive, and the parts are written where it is a channel's.
    unsafe {
        if !giccChannelType(ty.to_raw(), &raw mut element, &raw mut protocol, &raw mut slots, &raw mut capacity) {
            return None;
        }
        Some(ChannelType { element: Type::from_raw(element), protocol: u64::try_from(protocol).ok()?, slots, capacity })
    }
}

/// Bytes of an element, and its natural alignment; nothing for a type that is not moved.
pub fn size_and_alignment(ty: Type<'_>) -> Option<(i64, i64)> {
    if ty.is_vector() {
        let (size, _) = size_and_alignment(element_of(ty)?)?;
        let whole = elements_of_vector(ty)?.checked_mul(size)?;
        let stored = u64::try_from(whole).ok()?.next_power_of_two();
        return Some((i64::try_from(stored).ok()?, i64::try_from(stored.min(16)).ok()?));
    }
    // SAFETY: the type is alive, and each question is one of its kind.
    unsafe {
        if mlir_sys::mlirTypeIsAComplex(ty.to_raw()) {
            let (size, alignment) =
                size_and_alignment(Type::from_raw(mlir_sys::mlirComplexTypeGetElementType(ty.to_raw())))?;
            return Some((2 * size, alignment));
        }
        if ty.is_index() {
            return Some((8, 8));
        }
        let bits = if mlir_sys::mlirTypeIsAInteger(ty.to_raw()) {
            mlir_sys::mlirIntegerTypeGetWidth(ty.to_raw())
        } else if mlir_sys::mlirTypeIsAFloat(ty.to_raw()) {
            mlir_sys::mlirFloatTypeGetWidth(ty.to_raw())
        } else {
            return None;
        };
        matches!(bits, 8 | 16 | 32 | 64).then_some((i64::from(bits / 8), i64::from(bits / 8)))
    }
}

fn elements_of_vector(vector: Type<'_>) -> Option<i64> {
    // SAFETY: a vector has a rank, and these dimensions.
    unsafe {
        (0..mlir_sys::mlirShapedTypeGetRank(vector.to_raw())).try_fold(1_i64, |all, n| {
            all.checked_mul(mlir_sys::mlirShapedTypeGetDimSize(vector.to_raw(), isize::try_from(n).ok()?))
        })
    }
}

/// The element type of a shaped type.
pub fn element_of(ty: Type<'_>) -> Option<Type<'_>> {
    // SAFETY: the type is alive; the question is for a shaped one.
    unsafe {
        mlir_sys::mlirTypeIsAShaped(ty.to_raw())
            .then(|| Type::from_raw(mlir_sys::mlirShapedTypeGetElementType(ty.to_raw())))
    }
}

/// Builds operations in front of one, at its place.
#[derive(Clone, Copy, Debug)]
pub struct Before<'c, 'a> {
    reference: ContextRef<'c>,
    /// What is built stands in front of this.
    pub anchor: OperationRef<'c, 'a>,
    /// Where it says it stands.
    pub location: Location<'c>,
}

impl<'c, 'a> Before<'c, 'a> {
    /// In front of `anchor`, with its location.
    pub fn new(anchor: OperationRef<'c, 'a>) -> Self {
        Before { reference: anchor.context(), anchor, location: anchor.location() }
    }

    /// The context, for an expression.
    pub(crate) fn context(&self) -> &'c Context {
        // SAFETY: what is returned lies in `self`, and is used up in the expressions of this library that ask for it; the
        // context itself outlives all operations.
        unsafe { self.reference.to_ref() }
    }

    /// A type by its spelling; the spellings are constants of this library.
    ///
    /// # Panics
    /// Where MLIR does not know the type: a mistake in the caller.
    pub fn ty(&self, spelling: &str) -> Type<'c> {
        Type::parse(self.context(), spelling).expect("a type that MLIR knows")
    }

    /// An attribute by its spelling; as [`Before::ty`].
    ///
    /// # Panics
    /// Where MLIR does not know the attribute.
    pub fn attribute(&self, spelling: &str) -> Attribute<'c> {
        Attribute::parse(self.context(), spelling).expect("an attribute that MLIR knows")
    }

    /// An operation; its results are asked for as `results`.
    ///
    /// # Panics
    /// Where the operation cannot be built, or does not stand in a block: a mistake in the caller.
    pub fn operation(
        &self,
        name: &str,
        operands: &[Value<'c, '_>],
        attributes: &[(&str, Attribute<'c>)],
        results: &[Type<'c>],
    ) -> OperationRef<'c, 'a> {
        let attributes: Vec<_> = attributes.iter().map(|(n, a)| (Identifier::new(self.context(), n), *a)).collect();
        let built = OperationBuilder::new(name, self.location)
            .add_operands(operands)
            .add_attributes(&attributes)
            .add_results(results)
            .build()
            .expect("an operation that MLIR can build");
        self.anchor.block().expect("the operation stands in a block").insert_operation_before(self.anchor, built)
    }

    /// An operation with one result.
    ///
    /// # Panics
    /// As [`Before::operation`].
    pub fn value(
        &self,
        name: &str,
        operands: &[Value<'c, '_>],
        attributes: &[(&str, Attribute<'c>)],
        result: Type<'c>,
    ) -> Value<'c, 'a> {
        self.operation(name, operands, attributes, &[result]).result(0).expect("it has one result").into()
    }

    /// `llvm.mlir.constant` of 32 or 64 bits.
    pub fn constant(&self, bits: u32, value: i64) -> Value<'c, 'a> {
        let ty: Type<'c> = IntegerType::new(self.context(), bits).into();
        self.value("llvm.mlir.constant", &[], &[("value", IntegerAttribute::new(ty, value).into())], ty)
    }
}

/// Replaces all uses of a value.
pub fn replace_uses(of: Value<'_, '_>, with: Value<'_, '_>) {
    // SAFETY: both are alive and of the same context.
    unsafe { mlirValueReplaceAllUsesOfWith(of.to_raw(), with.to_raw()) }
}

/// Removes an operation whose results nobody uses.
pub fn erase(operation: OperationRef<'_, '_>) {
    let raw: MlirOperation = operation.to_raw();
    // SAFETY: it stands in a block and its results have no uses; the reference is not used again.
    unsafe {
        mlirOperationRemoveFromParent(raw);
        mlirOperationDestroy(raw);
    }
}

/// Sets an attribute.
pub fn set_attribute<'c>(operation: OperationRef<'c, '_>, name: &str, attribute: Attribute<'c>) {
    // SAFETY: the operation is alive.
    unsafe { OperationRefMut::from_raw(operation.to_raw()) }.set_attribute(name, attribute);
}

/// Removes an attribute, where it is there.
pub fn remove_attribute(operation: OperationRef<'_, '_>, name: &str) {
    // SAFETY: the operation is alive.
    drop(unsafe { OperationRefMut::from_raw(operation.to_raw()) }.remove_attribute(name));
}
