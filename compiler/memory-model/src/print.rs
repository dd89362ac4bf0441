//! Operations as text: the lines of the litmus format, which witnesses show too.

use std::fmt;

use crate::program::{
    Access, Address, BarrierAction, BarrierLevel, Op, Operand, Program, ProxyFence, RmwFunction, Step, Until,
};
use crate::{Proxy, Semantics};

/// An operation of a program, to be displayed.
pub(crate) struct StepText<'a> {
    pub(crate) program: &'a Program,
    pub(crate) step: &'a Step,
}

impl fmt::Display for StepText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.step.text {
            Some(text) => f.write_str(text.trim()),
            None => f.write_str(&op_text(self.program, &self.step.op)),
        }
    }
}

/// An operation as a line of the litmus format.
pub(crate) fn op_text(program: &Program, op: &Op) -> String {
    match op {
        Op::Load { registers, access, until } => {
            let until = until.map_or(String::new(), |until| format!(" until {}", until_text(until)));
            let registers = list(registers.iter().map(ToString::to_string).collect());
            format!("ld{} {registers}, {}{until}", qualifiers(access), address(program, access))
        }
        Op::Store { access, values } => {
            let values = list(values.iter().map(ToString::to_string).collect());
            format!("st{} {}, {values}", qualifiers(access), address(program, access))
        }
        Op::Rmw { returns, register, access, function } => {
            let name = if *returns { "atom" } else { "red" };
            let register = match (returns, register) {
                (true, Some(register)) => format!("{register}, "),
                (true, None) => "_, ".to_owned(),
                (false, _) => String::new(),
            };
            let (function, operands) = function_text(function);
            let strength = format!(".{}.{}", access.semantics, access.scope);
            let width = u32::from(access.width) * 8;
            format!("{name}{strength}.{function}.b{width} {register}{}, {operands}", address(program, access))
        }
        Op::Fence { semantics, scope } => format!("fence.{semantics}.{scope}"),
        Op::ProxyFence(kind) => format!("fence.proxy.{kind}"),
        Op::Barrier { id, action, level, participants } => {
            let participants = participants.map_or(String::new(), |count| format!(", {count}"));
            match (level, action) {
                (BarrierLevel::Cta, BarrierAction::Sync) => format!("bar.sync {id}{participants}"),
                (BarrierLevel::Cta, BarrierAction::Arrive) => format!("bar.arrive {id}{participants}"),
                (BarrierLevel::Cta, BarrierAction::Wait) => format!("bar.wait {id}{participants}"),
                (BarrierLevel::Cluster, BarrierAction::Arrive) => "barrier.cluster.arrive".to_owned(),
                (BarrierLevel::Cluster, BarrierAction::Wait) => "barrier.cluster.wait".to_owned(),
                (BarrierLevel::Cluster, BarrierAction::Sync) => "barrier.cluster.sync".to_owned(),
            }
        }
        Op::BarrierReduction { id, predicate, result } => {
            let result = result.as_ref().map_or("_".to_owned(), ToString::to_string);
            format!("bar.red {result}, {id}, {}", list(predicate.iter().map(ToString::to_string).collect()))
        }
        Op::BulkCopy { destination, source, bytes } => {
            let (to, from) = (place(program, *destination), place(program, *source));
            format!("cp.async.bulk [{to}], [{from}], {bytes}")
        }
        Op::BulkCommit => "cp.async.bulk.commit_group".to_owned(),
        Op::BulkWait { pending, read_only } => {
            format!("cp.async.bulk.wait_group{} {pending}", if *read_only { ".read" } else { "" })
        }
        Op::Mbarrier { id, phase, action, semantics, scope } => {
            let action = if *action == BarrierAction::Wait { "wait" } else { "arrive" };
            format!("mbarrier.{action}.{semantics}.{scope} {id}, {phase}")
        }
        Op::BulkOnMbarrier { id, phase } => format!("cp.async.bulk.complete_tx {id}, {phase}"),
        Op::Assume { register, until } => format!("assume {register} {}", until_text(*until)),
        Op::Branch(register) => format!("branch {register}"),
    }
}

/// `name` or `name+offset`.
pub(crate) fn place(program: &Program, address: Address) -> String {
    let name = program.locations.get(address.location.0).map_or("?", |location| location.name.as_str());
    if address.offset == 0 { name.to_owned() } else { format!("{name}+{}", address.offset) }
}

fn address(program: &Program, access: &Access) -> String {
    let mut text = place(program, access.address);
    for register in &access.depends_on {
        text.push_str(" @");
        text.push_str(&register.0);
    }
    format!("[{text}]")
}

fn qualifiers(access: &Access) -> String {
    let mut text = String::new();
    match access.proxy {
        Proxy::Generic | Proxy::Async => {}
        Proxy::Constant => text.push_str(".const"),
        Proxy::Texture => text.push_str(".nc"),
        Proxy::Surface => text.push_str(".surface"),
    }
    if access.semantics == Semantics::Weak {
        text.push_str(".weak");
    } else {
        text.push_str(&format!(".{}.{}", access.semantics, access.scope));
    }
    if access.count != 1 {
        text.push_str(&format!(".v{}", access.count));
    }
    text.push_str(&format!(".b{}", u32::from(access.width) * 8));
    text
}

fn list(items: Vec<String>) -> String {
    if items.len() == 1 { items.concat() } else { format!("{{{}}}", items.join(", ")) }
}

fn function_text(function: &RmwFunction) -> (&'static str, String) {
    let name = match function {
        RmwFunction::Add(_) => "add",
        RmwFunction::Exchange(_) => "exch",
        RmwFunction::CompareAndSwap { .. } => "cas",
        RmwFunction::And(_) => "and",
        RmwFunction::Or(_) => "or",
        RmwFunction::Xor(_) => "xor",
        RmwFunction::Min(_) => "min",
        RmwFunction::Max(_) => "max",
        RmwFunction::Increment(_) => "inc",
        RmwFunction::Decrement(_) => "dec",
    };
    let operands: Vec<String> = function.operands().into_iter().map(ToString::to_string).collect();
    (name, operands.join(", "))
}

fn until_text(until: Until) -> String {
    format!("{} {}", until.comparison, until.value)
}

impl fmt::Display for Operand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Operand::Constant(value) => write!(f, "{value}"),
            Operand::Register(register) => write!(f, "{register}"),
            Operand::Sum(register, value) => write!(f, "{register}+{value}"),
        }
    }
}

impl fmt::Display for ProxyFence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ProxyFence::Alias => "alias",
            ProxyFence::Async => "async",
            ProxyFence::AsyncGlobal => "async.global",
            ProxyFence::AsyncSharedCta => "async.shared::cta",
            ProxyFence::AsyncSharedCluster => "async.shared::cluster",
            ProxyFence::Texture => "texture",
            ProxyFence::Surface => "surface",
            ProxyFence::Constant => "constant",
        })
    }
}
