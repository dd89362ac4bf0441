//! Where the variables of a module lie, and what they hold at first.

use super::error::TraceErrorKind;
use super::launch::Launch;
use super::memory::{CONST_BASE, FUNCTION_BASE, GLOBAL_BASE, Place, SHARED_BASE, to_bytes};
use crate::ast::{Initializer, StatementKind, Variable, walk};
use crate::operand::{ImmediateValue, Operand};
use crate::types::{ScalarType, StateSpace, lanes};
use std::collections::{BTreeMap, HashMap};

/// A variable of the module in global memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GlobalVariable {
    /// Its name.
    pub name: String,
    /// Where it lies.
    pub address: u64,
    /// What it holds at first; zero where nothing is written.
    pub bytes: Vec<u8>,
}

/// Addresses of everything that has a name outside the frames.
pub(super) struct Layout<'m> {
    /// Variables of the module.
    module: HashMap<&'m str, Place>,
    /// Shared variables declared in a function's body.
    local: HashMap<(&'m str, &'m str), Place>,
    /// Functions, by name.
    functions: HashMap<&'m str, u64>,
    /// The functions in the order of their addresses.
    pub(super) function_names: Vec<&'m str>,
    pub(super) shared_size: u64,
    pub(super) constants: Vec<u8>,
}

impl<'m> Layout<'m> {
    pub(super) fn of(launch: &Launch<'m>) -> Result<Self, TraceErrorKind> {
        let mut layout = Layout {
            module: HashMap::new(),
            local: HashMap::new(),
            functions: HashMap::new(),
            function_names: Vec::new(),
            shared_size: 0,
            constants: Vec::new(),
        };
        let module = launch.module;
        for function in module.functions() {
            if !layout.functions.contains_key(function.name.as_str()) {
                layout.functions.insert(&function.name, FUNCTION_BASE + 16 * layout.function_names.len() as u64);
                layout.function_names.push(&function.name);
            }
        }
        let mut next_global = GLOBAL_BASE;
        let mut next_constant = 0;
        let mut constants = Vec::new();
        let mut dynamic = Vec::new();
        for variable in module.variables() {
            match variable.space {
                StateSpace::Global => {
                    let address = match launch.symbols.get(&variable.name) {
                        Some(address) => *address,
                        None => {
                            next_global = align(next_global, variable.alignment().max(16));
                            let address = next_global;
                            next_global = next_global.saturating_add(variable.size());
                            address
                        }
                    };
                    layout.module.insert(&variable.name, Place { space: StateSpace::Global, address });
                }
                StateSpace::Const => {
                    next_constant = align(next_constant, variable.alignment());
                    let place = Place { space: StateSpace::Const, address: next_constant };
                    layout.module.insert(&variable.name, place);
                    constants.push((variable, next_constant));
                    next_constant = next_constant.saturating_add(variable.size());
                }
                StateSpace::Shared | StateSpace::SharedCta if variable.size() == 0 => dynamic.push(variable),
                StateSpace::Shared | StateSpace::SharedCta => {
                    let place = layout.shared(variable);
                    layout.module.insert(&variable.name, place);
                }
                space => {
                    return Err(TraceErrorKind::Unsupported(format!("a module variable in .{space}")));
                }
            }
        }
        for function in module.functions() {
            walk(function.body.as_deref().unwrap_or(&[]), &mut |statement| {
                if let StatementKind::Variable(variable) = &statement.kind
                    && variable.space.is_shared_cta()
                {
                    let place = layout.shared(variable);
                    layout.local.insert((&function.name, &variable.name), place);
                }
            });
        }
        let base = dynamic.iter().map(|variable| variable.alignment()).fold(layout.shared_size, align);
        for variable in dynamic {
            layout.module.insert(&variable.name, Place { space: StateSpace::Shared, address: base });
        }
        layout.shared_size = base.saturating_add(launch.dynamic_shared);
        let limit = 1 << 24;
        if layout.shared_size > limit || next_constant > limit {
            return Err(TraceErrorKind::Launch("more than 16 MiB of shared or constant memory".to_owned()));
        }
        layout.constants = vec![0; next_constant as usize];
        for (variable, address) in constants {
            let bytes = match launch.constants.get(&variable.name) {
                Some(bytes) => bytes.clone(),
                None => layout.image(variable)?,
            };
            if bytes.len() as u64 > variable.size() {
                let what = format!("the contents of `{}` are longer than the variable", variable.name);
                return Err(TraceErrorKind::Launch(what));
            }
            layout.constants[address as usize..address as usize + bytes.len()].copy_from_slice(&bytes);
        }
        Ok(layout)
    }

    fn shared(&mut self, variable: &Variable) -> Place {
        let address = align(self.shared_size, variable.alignment());
        self.shared_size = address.saturating_add(variable.size());
        Place { space: StateSpace::Shared, address }
    }

    /// A variable, seen from a function.
    pub(super) fn variable(&self, function: &str, name: &str) -> Option<Place> {
        self.local.get(&(function, name)).or_else(|| self.module.get(name)).copied()
    }

    /// The address of a function.
    pub(super) fn function(&self, name: &str) -> Option<u64> {
        self.functions.get(name).copied()
    }

    /// The bytes of a variable at first.
    pub(super) fn image(&self, variable: &Variable) -> Result<Vec<u8>, TraceErrorKind> {
        let size = usize::try_from(variable.size())
            .ok()
            .filter(|size| *size <= 1 << 26)
            .ok_or_else(|| TraceErrorKind::Launch(format!("`{}` is larger than 64 MiB", variable.name)))?;
        let mut bytes = vec![0; size];
        if let Some(initializer) = &variable.initializer {
            // Inner dimensions, from the innermost: bytes of each level.
            let element = (variable.ty.bytes() * lanes(variable.vector)) as usize;
            let mut strides = vec![element];
            for dimension in variable.dimensions.iter().skip(1).rev() {
                let inner = strides.first().copied().unwrap_or(element);
                strides.insert(0, inner.saturating_mul(dimension.unwrap_or(0) as usize));
            }
            if variable.dimensions.is_empty() {
                strides = vec![variable.ty.bytes() as usize];
            }
            self.fill(&mut bytes, initializer, &strides, variable.ty)?;
        }
        Ok(bytes)
    }

    fn fill(
        &self,
        bytes: &mut [u8],
        initializer: &Initializer,
        strides: &[usize],
        ty: ScalarType,
    ) -> Result<(), TraceErrorKind> {
        match initializer {
            Initializer::List(list) => {
                let stride = strides.first().copied().unwrap_or(ty.bytes() as usize);
                for (i, element) in list.iter().enumerate() {
                    let start = i.saturating_mul(stride);
                    let Some(rest) = bytes.get_mut(start..) else {
                        return Err(TraceErrorKind::Launch("an initialiser is longer than its variable".to_owned()));
                    };
                    let length = rest.len().min(stride);
                    self.fill(&mut rest[..length], element, strides.get(1..).unwrap_or(&[]), ty)?;
                }
                Ok(())
            }
            value => {
                let value = self.constant(value, ty)?;
                let length = bytes.len().min(ty.bytes() as usize);
                to_bytes(value, &mut bytes[..length]);
                Ok(())
            }
        }
    }

    fn constant(&self, initializer: &Initializer, ty: ScalarType) -> Result<u128, TraceErrorKind> {
        let place = |name: &str| {
            self.module
                .get(name)
                .copied()
                .or_else(|| self.function(name).map(|address| Place { space: StateSpace::Global, address }))
                .ok_or_else(|| TraceErrorKind::Undeclared(name.to_owned()))
        };
        Ok(match initializer {
            Initializer::Value(Operand::Immediate(number)) => immediate(number.value, ty),
            Initializer::Value(Operand::Symbol { name, offset }) => {
                u128::from(place(name)?.address.wrapping_add_signed(*offset))
            }
            Initializer::Generic { symbol, offset } => {
                u128::from(place(symbol)?.generic().wrapping_add_signed(*offset))
            }
            Initializer::Masked { mask, value } => {
                let value = self.constant(value, ScalarType::U64)? as u64;
                u128::from((value & mask).checked_shr(mask.trailing_zeros()).unwrap_or(0))
            }
            _ => return Err(TraceErrorKind::Unsupported("this initialiser".to_owned())),
        })
    }
}

impl Launch<'_> {
    /// The module's variables in global memory: where they lie in this launch and what they hold at first. Who provides
    /// the memory puts them there.
    pub fn global_variables(&self) -> Result<Vec<GlobalVariable>, TraceErrorKind> {
        let layout = Layout::of(self)?;
        let mut out = BTreeMap::new();
        for variable in self.module.variables().filter(|variable| variable.space == StateSpace::Global) {
            if let Some(place) = layout.module.get(variable.name.as_str()) {
                let entry = GlobalVariable {
                    name: variable.name.clone(),
                    address: place.address,
                    bytes: layout.image(variable)?,
                };
                out.insert(place.address, entry);
            }
        }
        Ok(out.into_values().collect())
    }
}

/// The bits of a number as a value of the type.
pub(super) fn immediate(value: ImmediateValue, ty: ScalarType) -> u128 {
    match value {
        ImmediateValue::Integer(number) => super::alu::mask(number as u128, ty.bits()),
        ImmediateValue::F32(bits) if ty == ScalarType::F64 => u128::from(f64::from(f32::from_bits(bits)).to_bits()),
        ImmediateValue::F32(bits) => u128::from(bits),
        ImmediateValue::F64(bits) if ty == ScalarType::F32 => u128::from((f64::from_bits(bits) as f32).to_bits()),
        ImmediateValue::F64(bits) => u128::from(bits),
    }
}

/// The next multiple.
pub(super) fn align(address: u64, to: u64) -> u64 {
    address.checked_next_multiple_of(to.max(1)).unwrap_or(u64::MAX)
}

/// Whether a generic address lies in a space's window.
pub(super) fn is_in(space: StateSpace, address: u64) -> bool {
    let place = Place::of_generic(address);
    let window = match space {
        StateSpace::SharedCta | StateSpace::SharedCluster => StateSpace::Shared,
        StateSpace::ParamEntry | StateSpace::ParamFunc => StateSpace::Param,
        space => space,
    };
    place.space == window && address != 0
}

const _: () = assert!(SHARED_BASE < CONST_BASE && CONST_BASE < FUNCTION_BASE);
