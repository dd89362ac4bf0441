//! The instructions of the litmus format.

use super::cursor::{Cursor, width_of};
use super::{LitmusProblem, Parsed, address, compare};
use crate::program::{
    Access, Address, BarrierAction, BarrierLevel, Op, Operand, Program, ProxyFence, Register, RmwFunction, Until,
};
use crate::{Proxy, Scope, Semantics};

/// The qualifiers of a memory instruction.
struct Qualifiers {
    semantics: Option<Semantics>,
    scope: Option<Scope>,
    proxy: Proxy,
    width: u8,
    count: u8,
    function: Option<String>,
}

/// One instruction, the whole line.
pub(super) fn parse(program: &Program, cursor: &mut Cursor<'_>) -> Parsed<Op> {
    let start = cursor.clone();
    let opcode = cursor.opcode()?;
    match opcode {
        "bar.sync" => return barrier(cursor, BarrierAction::Sync),
        "bar.red" => return reduction(cursor),
        "bar.arrive" => return barrier(cursor, BarrierAction::Arrive),
        "bar.wait" => return barrier(cursor, BarrierAction::Wait),
        "barrier.cluster.arrive" => return Ok(cluster_barrier(BarrierAction::Arrive)),
        "barrier.cluster.wait" => return Ok(cluster_barrier(BarrierAction::Wait)),
        "barrier.cluster.sync" => return Ok(cluster_barrier(BarrierAction::Sync)),
        "cp.async.bulk" => return bulk_copy(program, cursor),
        "cp.async.bulk.commit_group" => return Ok(Op::BulkCommit),
        "cp.async.bulk.wait_group" => return Ok(Op::BulkWait { pending: cursor.small_number()?, read_only: false }),
        "cp.async.bulk.wait_group.read" => {
            return Ok(Op::BulkWait { pending: cursor.small_number()?, read_only: true });
        }
        "cp.async.bulk.complete_tx" => {
            let (id, phase) = mbarrier(cursor)?;
            return Ok(Op::BulkOnMbarrier { id, phase });
        }
        "membar.cta" => return Ok(sc_fence(Scope::Cta)),
        "membar.gl" => return Ok(sc_fence(Scope::Gpu)),
        "membar.sys" => return Ok(sc_fence(Scope::Sys)),
        "assume" => return Ok(Op::Assume { register: register(cursor)?, until: until(cursor)? }),
        "branch" => return Ok(Op::Branch(register(cursor)?)),
        _ => {}
    }
    let (name, rest) = opcode.split_once('.').unwrap_or((opcode, ""));
    match name {
        "fence" => fence(rest, &start),
        "mbarrier" => {
            let (action, rest) = rest.split_once('.').unwrap_or((rest, ""));
            let action = match action {
                "arrive" => BarrierAction::Arrive,
                "wait" => BarrierAction::Wait,
                _ => return Err(start.error(LitmusProblem::UnknownQualifier(action.to_owned()))),
            };
            let qualifiers = qualifiers(rest, &start, false)?;
            let (Some(semantics), Some(scope)) = (qualifiers.semantics, qualifiers.scope) else {
                return Err(start.error(LitmusProblem::Expected("semantics and a scope")));
            };
            let (id, phase) = mbarrier(cursor)?;
            Ok(Op::Mbarrier { id, phase, action, semantics, scope })
        }
        "ld" => {
            let qualifiers = qualifiers(rest, &start, false)?;
            let registers = list(cursor, register)?;
            cursor.symbol(",")?;
            let access = access(program, cursor, &qualifiers)?;
            let until = if cursor.accept_keyword("until") { Some(until(cursor)?) } else { None };
            Ok(Op::Load { registers, access, until })
        }
        "st" => {
            let qualifiers = qualifiers(rest, &start, false)?;
            let access = access(program, cursor, &qualifiers)?;
            cursor.symbol(",")?;
            Ok(Op::Store { access, values: list(cursor, operand)? })
        }
        "atom" | "red" => {
            let mut qualifiers = qualifiers(rest, &start, true)?;
            qualifiers.semantics.get_or_insert(Semantics::Relaxed);
            qualifiers.scope.get_or_insert(Scope::Gpu);
            let returns = name == "atom";
            let register = if returns {
                let register = if cursor.accept_keyword("_") { None } else { Some(register(cursor)?) };
                cursor.symbol(",")?;
                register
            } else {
                None
            };
            let access = access(program, cursor, &qualifiers)?;
            cursor.symbol(",")?;
            let function = function(&qualifiers, &start, cursor)?;
            Ok(Op::Rmw { returns, register, access, function })
        }
        _ => Err(start.error(LitmusProblem::UnknownWord(opcode.to_owned()))),
    }
}

fn qualifiers(text: &str, start: &Cursor<'_>, atomic: bool) -> Parsed<Qualifiers> {
    let mut found =
        Qualifiers { semantics: None, scope: None, proxy: Proxy::Generic, width: 4, count: 1, function: None };
    for word in text.split('.').filter(|word| !word.is_empty()) {
        match word {
            "weak" => found.semantics = Some(Semantics::Weak),
            "relaxed" => found.semantics = Some(Semantics::Relaxed),
            "acquire" => found.semantics = Some(Semantics::Acquire),
            "release" => found.semantics = Some(Semantics::Release),
            "acq_rel" => found.semantics = Some(Semantics::AcquireRelease),
            // PTX ISA §8.4.2: volatile is relaxed at system scope.
            "volatile" => {
                found.semantics = Some(Semantics::Relaxed);
                found.scope = Some(Scope::Sys);
            }
            "cta" => found.scope = Some(Scope::Cta),
            "cluster" => found.scope = Some(Scope::Cluster),
            "gpu" => found.scope = Some(Scope::Gpu),
            "sys" => found.scope = Some(Scope::Sys),
            "global" | "shared" | "shared::cta" | "shared::cluster" => {}
            "nc" => found.proxy = Proxy::Texture,
            "const" => found.proxy = Proxy::Constant,
            "surface" => found.proxy = Proxy::Surface,
            "v2" => found.count = 2,
            "v4" => found.count = 4,
            "v8" => found.count = 8,
            "add" | "exch" | "cas" | "and" | "or" | "xor" | "min" | "max" | "inc" | "dec" if atomic => {
                found.function = Some(word.to_owned());
            }
            _ => match width_of(word) {
                Some(width) => found.width = width,
                None => return Err(start.error(LitmusProblem::UnknownQualifier(word.to_owned()))),
            },
        }
    }
    let strong = found.semantics.is_some_and(Semantics::is_strong);
    if strong && found.scope.is_none() && !atomic {
        return Err(start.error(LitmusProblem::Expected("a scope qualifier")));
    }
    Ok(found)
}

fn access(program: &Program, cursor: &mut Cursor<'_>, qualifiers: &Qualifiers) -> Parsed<Access> {
    cursor.symbol("[")?;
    let (location, offset) = address(program, cursor)?;
    let mut depends_on = Vec::new();
    while cursor.accept("@") {
        depends_on.push(register(cursor)?);
    }
    cursor.symbol("]")?;
    Ok(Access {
        address: Address { location, offset },
        width: qualifiers.width,
        count: qualifiers.count,
        semantics: qualifiers.semantics.unwrap_or(Semantics::Weak),
        scope: qualifiers.scope.unwrap_or(Scope::Cta),
        proxy: qualifiers.proxy,
        depends_on,
    })
}

fn function(qualifiers: &Qualifiers, start: &Cursor<'_>, cursor: &mut Cursor<'_>) -> Parsed<RmwFunction> {
    let first = operand(cursor)?;
    Ok(match qualifiers.function.as_deref() {
        Some("add") => RmwFunction::Add(first),
        Some("exch") => RmwFunction::Exchange(first),
        Some("cas") => {
            cursor.symbol(",")?;
            RmwFunction::CompareAndSwap { expected: first, desired: operand(cursor)? }
        }
        Some("and") => RmwFunction::And(first),
        Some("or") => RmwFunction::Or(first),
        Some("xor") => RmwFunction::Xor(first),
        Some("min") => RmwFunction::Min(first),
        Some("max") => RmwFunction::Max(first),
        Some("inc") => RmwFunction::Increment(first),
        Some("dec") => RmwFunction::Decrement(first),
        _ => return Err(start.error(LitmusProblem::Expected("an operation such as `.add`"))),
    })
}

fn fence(rest: &str, start: &Cursor<'_>) -> Parsed<Op> {
    if let Some(kind) = rest.strip_prefix("proxy.") {
        return Ok(Op::ProxyFence(match kind {
            "alias" => ProxyFence::Alias,
            "async" => ProxyFence::Async,
            "async.global" => ProxyFence::AsyncGlobal,
            "async.shared::cta" => ProxyFence::AsyncSharedCta,
            "async.shared::cluster" => ProxyFence::AsyncSharedCluster,
            "texture" => ProxyFence::Texture,
            "surface" => ProxyFence::Surface,
            "constant" => ProxyFence::Constant,
            _ => return Err(start.error(LitmusProblem::UnknownQualifier(kind.to_owned()))),
        }));
    }
    let (semantics, scope) = rest.split_once('.').unwrap_or((rest, ""));
    let semantics = match semantics {
        "acquire" => Semantics::Acquire,
        "release" => Semantics::Release,
        "acq_rel" => Semantics::AcquireRelease,
        "sc" => Semantics::SequentiallyConsistent,
        _ => return Err(start.error(LitmusProblem::UnknownQualifier(semantics.to_owned()))),
    };
    let scope = match scope {
        "cta" => Scope::Cta,
        "cluster" => Scope::Cluster,
        "gpu" => Scope::Gpu,
        "sys" => Scope::Sys,
        _ => return Err(start.error(LitmusProblem::Expected("a scope qualifier"))),
    };
    Ok(Op::Fence { semantics, scope })
}

fn sc_fence(scope: Scope) -> Op {
    Op::Fence { semantics: Semantics::SequentiallyConsistent, scope }
}

fn barrier(cursor: &mut Cursor<'_>, action: BarrierAction) -> Parsed<Op> {
    let id = cursor.small_number()?;
    let participants = if cursor.accept(",") { Some(cursor.small_number()?) } else { None };
    Ok(Op::Barrier { id, action, level: BarrierLevel::Cta, participants })
}

/// `bar.red RESULT, BARRIER, PREDICATE`; a predicate that was computed from several registers names them in braces, one from
/// none has empty ones.
fn reduction(cursor: &mut Cursor<'_>) -> Parsed<Op> {
    let result = if cursor.accept_keyword("_") { None } else { Some(register(cursor)?) };
    cursor.symbol(",")?;
    let id = cursor.small_number()?;
    cursor.symbol(",")?;
    let mut nothing = cursor.clone();
    let predicate = if nothing.accept("{") && nothing.accept("}") {
        *cursor = nothing;
        Vec::new()
    } else {
        list(cursor, register)?
    };
    Ok(Op::BarrierReduction { id, predicate, result })
}

/// The number of an mbarrier and a phase.
fn mbarrier(cursor: &mut Cursor<'_>) -> Parsed<(u32, u32)> {
    let id = cursor.small_number()?;
    cursor.symbol(",")?;
    Ok((id, cursor.small_number()?))
}

fn cluster_barrier(action: BarrierAction) -> Op {
    Op::Barrier { id: 0, action, level: BarrierLevel::Cluster, participants: None }
}

fn bulk_copy(program: &Program, cursor: &mut Cursor<'_>) -> Parsed<Op> {
    let mut addresses = [Address { location: crate::program::LocationId(0), offset: 0 }; 2];
    for slot in &mut addresses {
        cursor.symbol("[")?;
        let (location, offset) = address(program, cursor)?;
        *slot = Address { location, offset };
        cursor.symbol("]")?;
        cursor.symbol(",")?;
    }
    let [destination, source] = addresses;
    Ok(Op::BulkCopy { destination, source, bytes: cursor.small_number()? })
}

fn until(cursor: &mut Cursor<'_>) -> Parsed<Until> {
    Ok(Until { comparison: compare(cursor)?, value: cursor.number()? })
}

fn register(cursor: &mut Cursor<'_>) -> Parsed<Register> {
    Ok(cursor.name("a register")?.into())
}

fn operand(cursor: &mut Cursor<'_>) -> Parsed<Operand> {
    if cursor.at_digit() {
        return Ok(Operand::Constant(cursor.number()?));
    }
    let register = register(cursor)?;
    Ok(if cursor.accept("+") { Operand::Sum(register, cursor.number()?) } else { Operand::Register(register) })
}

/// One item, or several in braces.
fn list<T>(cursor: &mut Cursor<'_>, item: fn(&mut Cursor<'_>) -> Parsed<T>) -> Parsed<Vec<T>> {
    if !cursor.accept("{") {
        return Ok(vec![item(cursor)?]);
    }
    let mut items = vec![item(cursor)?];
    while cursor.accept(",") {
        items.push(item(cursor)?);
    }
    cursor.symbol("}")?;
    Ok(items)
}
