//! Memrefs and pointers become addresses, counts become bytes.
//!
//! A memref is taken apart as MLIR's own conversion represents it, `struct<(allocated, aligned, offset, sizes, strides)>`, by
//! a cast that goes when that conversion has run.

use melior::ir::attribute::{AttributeLike as _, DenseI64ArrayAttribute, IntegerAttribute};
use melior::ir::r#type::{MemRefType, TypeLike as _};
use melior::ir::{ShapedTypeLike as _, Type, Value, ValueLike as _};

use crate::dialect::ir::{Before, element_of, size_and_alignment};

/// A memref taken apart.
#[derive(Clone, Copy, Debug)]
struct Descriptor<'c, 'a> {
    value: Value<'c, 'a>,
    ty: MemRefType<'c>,
    pointer: Type<'c>,
}

fn memref(ty: Type<'_>) -> Option<MemRefType<'_>> {
    MemRefType::try_from(ty).ok()
}

/// The address space of a memref's pointers, as MLIR's lowering for NVIDIA GPUs numbers them.
fn space(ty: MemRefType<'_>) -> i64 {
    let Some(attribute) = ty.memory_space() else { return 0 };
    if attribute.is_integer() {
        return IntegerAttribute::try_from(attribute).map_or(0, |a| a.value());
    }
    let text = attribute.to_string();
    if text.contains("workgroup") {
        3
    } else if text.contains("global") {
        1
    } else {
        0
    }
}

fn pointer_type<'c>(at: &Before<'c, '_>, space: i64) -> Type<'c> {
    at.ty(&if space == 0 { "!llvm.ptr".to_owned() } else { format!("!llvm.ptr<{space}>") })
}

impl<'c, 'a> Descriptor<'c, 'a> {
    fn ty(at: &Before<'c, '_>, ty: MemRefType<'c>) -> (Type<'c>, Type<'c>) {
        let space = space(ty);
        let pointer = if space == 0 { "ptr".to_owned() } else { format!("ptr<{space}>") };
        let rank = ty.rank();
        let arrays = if rank == 0 { String::new() } else { format!(", array<{rank} x i64>, array<{rank} x i64>") };
        (at.ty(&format!("!llvm.struct<({pointer}, {pointer}, i64{arrays})>")), pointer_type(at, space))
    }

    fn of(at: &Before<'c, 'a>, value: Value<'c, '_>, ty: MemRefType<'c>) -> Self {
        let (structure, pointer) = Self::ty(at, ty);
        Descriptor { value: at.value("builtin.unrealized_conversion_cast", &[value], &[], structure), ty, pointer }
    }

    fn field(&self, at: &Before<'c, 'a>, position: &[i64], ty: Type<'c>) -> Value<'c, 'a> {
        let position = DenseI64ArrayAttribute::new(at.context(), position).into();
        at.value("llvm.extractvalue", &[self.value], &[("position", position)], ty)
    }

    fn with(mut self, at: &Before<'c, 'a>, position: &[i64], value: Value<'c, '_>) -> Self {
        let position = DenseI64ArrayAttribute::new(at.context(), position).into();
        let ty = self.value.r#type();
        self.value = at.value("llvm.insertvalue", &[self.value, value], &[("position", position)], ty);
        self
    }

    fn memref(&self, at: &Before<'c, 'a>) -> Value<'c, 'a> {
        at.value("builtin.unrealized_conversion_cast", &[self.value], &[], self.ty.into())
    }
}

/// A generic address.
fn generic<'c, 'a>(at: &Before<'c, 'a>, pointer: Value<'c, 'a>) -> Value<'c, 'a> {
    let ty = at.ty("!llvm.ptr");
    if pointer.r#type() == ty { pointer } else { at.value("llvm.addrspacecast", &[pointer], &[], ty) }
}

/// The address of a buffer's first element, generic.
pub(crate) fn address<'c, 'a>(at: &Before<'c, 'a>, buffer: Value<'c, 'a>) -> Value<'c, 'a> {
    let Some(ty) = memref(buffer.r#type()) else { return generic(at, buffer) };
    let descriptor = Descriptor::of(at, buffer, ty);
    let aligned = descriptor.field(at, &[1], descriptor.pointer);
    let (_, offset) = ty.strides_and_offset();
    if offset == 0 {
        return generic(at, aligned);
    }
    let i64_type = at.ty("i64");
    let offset = if offset == dynamic() { descriptor.field(at, &[2], i64_type) } else { at.constant(64, offset) };
    let size = element_of(ty.into()).and_then(size_and_alignment).map_or(1, |(size, _)| size);
    let bytes = at.value("llvm.mul", &[offset, at.constant(64, size)], &[], i64_type);
    let moved = at.value(
        "llvm.getelementptr",
        &[aligned, bytes],
        &[("rawConstantIndices", at.attribute("array<i32: -2147483648>")), ("elem_type", at.attribute("i8"))],
        descriptor.pointer,
    );
    generic(at, moved)
}

/// The number that stands for a size or stride that is not in the type.
fn dynamic() -> i64 {
    // SAFETY: returns a constant.
    unsafe { mlir_sys::mlirShapedTypeGetDynamicSize() }
}

/// A buffer's place on another PE: the same type, with the address that `translate` makes.
pub(super) fn elsewhere<'c, 'a>(
    at: &Before<'c, 'a>,
    buffer: Value<'c, 'a>,
    translate: impl FnOnce(Value<'c, 'a>) -> Value<'c, 'a>,
) -> Value<'c, 'a> {
    let specific = |pointer: Value<'c, 'a>, ty: Type<'c>| {
        if pointer.r#type() == ty { pointer } else { at.value("llvm.addrspacecast", &[pointer], &[], ty) }
    };
    let Some(ty) = memref(buffer.r#type()) else {
        return specific(translate(generic(at, buffer)), buffer.r#type());
    };
    let descriptor = Descriptor::of(at, buffer, ty);
    let aligned = generic(at, descriptor.field(at, &[1], descriptor.pointer));
    let there = specific(translate(aligned), descriptor.pointer);
    descriptor.with(at, &[0], there).with(at, &[1], there).memref(at)
}

/// A memref of static shape at an address; the address itself where a pointer is asked for.
pub(super) fn buffer_at<'c, 'a>(at: &Before<'c, 'a>, address: Value<'c, 'a>, wanted: Type<'c>) -> Value<'c, 'a> {
    let Some(ty) = memref(wanted) else { return address };
    let (structure, pointer) = Descriptor::ty(at, ty);
    let empty = at.value("llvm.mlir.poison", &[], &[], structure);
    let mut descriptor = Descriptor { value: empty, ty, pointer }.with(at, &[0], address).with(at, &[1], address).with(
        at,
        &[2],
        at.constant(64, 0),
    );
    let (strides, _) = ty.strides_and_offset();
    for (n, stride) in (0_i64..).zip(strides) {
        let size = dimension(ty, usize::try_from(n).unwrap_or(0));
        descriptor = descriptor.with(at, &[3, n], at.constant(64, size)).with(at, &[4, n], at.constant(64, stride));
    }
    descriptor.memref(at)
}

fn dimension(ty: MemRefType<'_>, n: usize) -> i64 {
    // SAFETY: the dimension exists.
    unsafe { mlir_sys::mlirShapedTypeGetDimSize(ty.to_raw(), n.cast_signed()) }
}

/// A count of any integer type, as i64.
pub(crate) fn count<'c, 'a>(at: &Before<'c, 'a>, count: Value<'c, 'a>) -> Value<'c, 'a> {
    let i64_type = at.ty("i64");
    if count.r#type() == i64_type {
        count
    } else if count.r#type().is_index() {
        at.value("builtin.unrealized_conversion_cast", &[count], &[], i64_type)
    } else {
        at.value("llvm.sext", &[count], &[], i64_type)
    }
}

/// How many elements a memref has.
pub(crate) fn elements<'c, 'a>(at: &Before<'c, 'a>, buffer: Value<'c, 'a>) -> Option<Value<'c, 'a>> {
    let ty = memref(buffer.r#type())?;
    let i64_type = at.ty("i64");
    let sizes: Vec<i64> = (0..ty.rank()).map(|n| dimension(ty, n)).collect();
    let known: i64 = sizes.iter().filter(|s| **s != dynamic()).product();
    let mut all = at.constant(64, known);
    if sizes.contains(&dynamic()) {
        let descriptor = Descriptor::of(at, buffer, ty);
        for (n, _) in (0_i64..).zip(&sizes).filter(|(_, size)| **size == dynamic()) {
            let size = descriptor.field(at, &[3, n], i64_type);
            all = at.value("llvm.mul", &[all, size], &[], i64_type);
        }
    }
    Some(all)
}

/// How many elements a memref of static shape has.
pub(super) fn static_elements(ty: Type<'_>) -> Option<i64> {
    let ty = memref(ty)?;
    // SAFETY: the type is shaped.
    let fixed = unsafe { mlir_sys::mlirShapedTypeHasStaticShape(ty.to_raw()) };
    fixed.then(|| (0..ty.rank()).map(|n| dimension(ty, n)).product())
}

/// The bytes of so many elements.
pub(super) fn bytes<'c, 'a>(at: &Before<'c, 'a>, count: Value<'c, 'a>, size: i64) -> Value<'c, 'a> {
    at.value("llvm.mul", &[count, at.constant(64, size)], &[], at.ty("i64"))
}
