//! What each operand of an instruction is for.

use crate::operand::Operand;
use crate::types::ScalarType;

/// What an instruction does with an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// It is written.
    Destination,
    /// It is read.
    Source,
    /// It is a memory operand `[…]`; the type is that of the memory's element.
    Address,
    /// It is read and must be a number known at compile time.
    Constant,
    /// It is a label, or the name of a label list.
    Target,
}

/// One place for an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Slot {
    /// What it is for.
    pub role: Role,
    /// Its type; for an address, the type of what lies there.
    pub ty: ScalarType,
    /// How many scalars: 1, or the size of a `{…}` operand. 0 says that a scalar or a `{…}` of parts may stand here (`mov`).
    pub lanes: u32,
    /// The type of the second destination in `d|p`, where one may be written.
    pub pair: Option<ScalarType>,
}

impl Slot {
    pub(crate) const fn new(role: Role, ty: ScalarType, lanes: u32) -> Self {
        Slot { role, ty, lanes, pair: None }
    }

    pub(crate) const fn destination(ty: ScalarType) -> Self {
        Slot::new(Role::Destination, ty, 1)
    }

    pub(crate) const fn source(ty: ScalarType) -> Self {
        Slot::new(Role::Source, ty, 1)
    }

    pub(crate) const fn address(ty: ScalarType) -> Self {
        Slot::new(Role::Address, ty, 1)
    }

    pub(crate) const fn constant(ty: ScalarType) -> Self {
        Slot::new(Role::Constant, ty, 1)
    }

    pub(crate) const fn target() -> Self {
        Slot::new(Role::Target, ScalarType::B64, 1)
    }

    pub(crate) const fn lanes(self, lanes: u32) -> Self {
        Slot { lanes, ..self }
    }

    pub(crate) const fn paired(self, ty: ScalarType) -> Self {
        Slot { pair: Some(ty), ..self }
    }

    /// Whether an operand of this shape may stand here.
    pub(crate) fn accepts(&self, operand: &Operand) -> bool {
        match (self.role, operand) {
            (_, Operand::Placeholder(_)) => self.role != Role::Address,
            (Role::Address, operand) => matches!(operand, Operand::Address(_)),
            (_, Operand::Address(_)) => false,
            (Role::Destination, Operand::Pair(first, second)) => {
                self.pair.is_some() && is_destination(first) && is_destination(second)
            }
            (Role::Destination, Operand::Vector(elements)) => {
                self.holds(elements) && elements.iter().all(is_destination)
            }
            (Role::Destination, operand) => (self.lanes <= 1 || is_vector_register(operand)) && is_destination(operand),
            (Role::Source, Operand::Vector(elements)) => self.holds(elements) && elements.iter().all(is_source),
            (Role::Source, operand) => {
                (self.lanes <= 1 || is_vector_register(operand))
                    && (is_source(operand)
                        || self.ty == ScalarType::Pred && matches!(operand, Operand::Negated(p) if is_source(p)))
            }
            (Role::Constant, operand) => matches!(operand, Operand::Immediate(_)),
            (Role::Target, operand) => matches!(operand, Operand::Symbol { offset: 0, .. }),
        }
    }

    fn holds(&self, elements: &[Operand]) -> bool {
        match self.lanes {
            0 => matches!(elements.len(), 2 | 4 | 8),
            1 => elements.len() == 1,
            lanes => elements.len() == lanes as usize,
        }
    }
}

/// Required operands, then optional ones, for an instruction that was written with `count`.
pub(crate) fn slots(count: usize, required: &[Slot], optional: &[Slot]) -> Option<Vec<Slot>> {
    let all = required.iter().chain(optional);
    (required.len() <= count && count <= required.len() + optional.len()).then(|| all.take(count).copied().collect())
}

fn is_destination(operand: &Operand) -> bool {
    matches!(
        operand,
        Operand::Register(_)
            | Operand::Element(..)
            | Operand::Sink
            | Operand::Placeholder(_)
            | Operand::Symbol { offset: 0, .. }
    )
}

fn is_source(operand: &Operand) -> bool {
    matches!(
        operand,
        Operand::Register(_)
            | Operand::Element(..)
            | Operand::Special(_)
            | Operand::Symbol { .. }
            | Operand::Immediate(_)
            | Operand::Placeholder(_)
    )
}

fn is_vector_register(operand: &Operand) -> bool {
    matches!(operand, Operand::Register(_) | Operand::Symbol { offset: 0, .. })
}
