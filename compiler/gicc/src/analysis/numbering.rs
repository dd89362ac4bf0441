//! Numbers for values: two nodes with the same number compute the same, when one thread executes both in one iteration. The
//! program was simplified before, so this finds only what common-subexpression elimination leaves.

use std::collections::HashMap;

use super::body::{Body, Kind, NodeId};
use super::communication::ValueId;

/// The number of each node.
#[derive(Debug)]
pub(crate) struct Numbers {
    of: Vec<u32>,
}

#[derive(PartialEq, Eq, Hash)]
enum Key {
    Integer(i64, u32),
    Null,
    Global(u32),
    Parameter(u32),
    Cast(u32, u32),
    Binary(u32, u32, u32),
    Compare(&'static str, u32, u32),
    Element(u32, i64, Vec<(u32, i64)>),
    Register(std::rc::Rc<str>),
}

/// Registers that a thread always reads the same: its own place, and the launch's size.
const FIXED: &[&str] = &["tid.", "ntid.", "ctaid.", "nctaid.", "laneid", "warpsize"];

/// Whether a function reads such a register.
fn reads_fixed(name: &str) -> bool {
    let register = name.strip_prefix("llvm.nvvm.read.ptx.sreg.");
    register.is_some_and(|register| FIXED.iter().any(|fixed| register.starts_with(fixed)))
}

/// Numbers all nodes.
pub(crate) fn number(body: &Body) -> Numbers {
    let mut numbers = Numbers { of: (0..body.nodes.len() as u32).collect() };
    let mut known: HashMap<Key, u32> = HashMap::new();
    // Constants stand behind the instructions that use them.
    let constants = (0..body.nodes.len()).rev().filter(|n| body.nodes[*n].at.is_none());
    let order: Vec<usize> = constants.chain((0..body.nodes.len()).filter(|n| body.nodes[*n].at.is_some())).collect();
    for n in order {
        let of = |id: &NodeId| numbers.of[id.index()];
        let key = match &body.nodes[n].kind {
            Kind::Integer(value) => Key::Integer(*value, body.nodes[n].bits),
            Kind::Null => Key::Null,
            Kind::Global(g) => Key::Global(*g),
            Kind::Parameter(p) => Key::Parameter(*p),
            Kind::Cast(from) => Key::Cast(of(from), body.nodes[n].bits),
            Kind::Binary { op, left, right } => Key::Binary(*op as u32, of(left), of(right)),
            Kind::Compare { predicate, left, right } => Key::Compare(predicate, of(left), of(right)),
            Kind::Element { base, constant, variable } => {
                let mut variable: Vec<(u32, i64)> = variable.iter().map(|(v, s)| (of(v), *s)).collect();
                variable.sort_unstable();
                Key::Element(of(base), *constant, variable)
            }
            Kind::Call { name, arguments, .. } if arguments.is_empty() && reads_fixed(name) => {
                Key::Register(name.clone())
            }
            _ => continue,
        };
        numbers.of[n] = *known.entry(key).or_insert(n as u32);
    }
    numbers
}

impl Numbers {
    /// The number of a node.
    pub(crate) fn of(&self, node: NodeId) -> ValueId {
        ValueId(self.of[node.index()])
    }
}
