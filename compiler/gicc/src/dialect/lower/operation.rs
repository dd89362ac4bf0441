//! Each operation as calls of intrinsics.

use std::collections::HashMap;

use gicc_abi::codes::{Group, Order, Scope};
use melior::ir::operation::OperationLike as _;
use melior::ir::{OperationRef, Type, Value, ValueLike as _};

use super::Domain;
use super::call::call;
use super::memory::{address, buffer_at, bytes, count, elements, elsewhere};
use crate::dialect::emit_error;
use crate::dialect::ir::{
    Before, channel_type, element_of, enumeration, event_group, name_attribute, name_of, operand, replace_uses,
    size_and_alignment, type_attribute,
};
use crate::dialect::passes::Failed;

/// An operation that the verifier let through, so what it asks of it is there.
#[derive(Clone, Copy)]
struct Lowering<'c, 'a, 'd> {
    op: OperationRef<'c, 'a>,
    at: Before<'c, 'a>,
    domains: &'d HashMap<String, Domain>,
}

/// Puts calls in front of an operation, and gives its results' users theirs. The operation itself stays.
pub(super) fn lower(operation: OperationRef<'_, '_>, domains: &HashMap<String, Domain>) -> Result<(), Failed> {
    let this = Lowering { op: operation, at: Before::new(operation), domains };
    match name_of(operation).as_str() {
        // Declarations are read where they are named.
        "gicc.team" | "gicc.domain" | "gicc.channel" => Ok(()),
        "gicc.my_pe" => this.replace("__gicc_my_pe", &[]),
        "gicc.n_pes" => this.replace("__gicc_n_pes", &[]),
        "gicc.check_error" => this.replace("__gicc_error_code", &[]),
        "gicc.peer_ptr" => this.peer_ptr(),
        "gicc.put" | "gicc.initiate" => this.put(),
        "gicc.get" => this.transfer("__gicc_get"),
        "gicc.put_signal" => this.put_signal(),
        "gicc.signal" => this.signal(),
        "gicc.wait" => this.wait(),
        "gicc.test" => this.test(),
        "gicc.release" => this.ordering("__gicc_release"),
        "gicc.acquire" => this.ordering("__gicc_acquire"),
        "gicc.barrier" => this.plain("__gicc_barrier_block"),
        "gicc.quiet" => this.plain(&format!("__gicc_quiet_{}", this.group()?)),
        "gicc.event_wait" => this.complete(),
        "gicc.event_test" => this.event_test(),
        "gicc.channel_put" => this.channel_put(),
        "gicc.channel_wait" => this.channel_wait(),
        "gicc.channel_done" => this.channel_done(),
        "gicc.all_reduce" | "gicc.all_gather" => {
            this.refuse("collectives are not built yet, so this one cannot be expanded")
        }
        other => this.refuse(&format!("`{other}` has no lowering")),
    }
}

impl<'c, 'a> Lowering<'c, 'a, '_> {
    fn refuse<T>(&self, message: &str) -> Result<T, Failed> {
        emit_error(self.op.location(), message);
        Err(Failed)
    }

    fn operand(&self, n: usize) -> Result<Value<'c, 'a>, Failed> {
        operand(self.op, n).ok_or_else(|| self.missing())
    }

    /// The operand of this number from the end; 1 is the last.
    fn last(&self, n: usize) -> Result<Value<'c, 'a>, Failed> {
        self.operand(self.op.operand_count().wrapping_sub(n))
    }

    fn missing(&self) -> Failed {
        emit_error(self.op.location(), "internal error: the operation lacks a part that its verifier asks for");
        Failed
    }

    fn number(&self, attribute: &str) -> Result<Value<'c, 'a>, Failed> {
        let number = enumeration(self.op, attribute).ok_or_else(|| self.missing())?;
        Ok(self.at.constant(32, i64::try_from(number).map_err(|_| self.missing())?))
    }

    fn group(&self) -> Result<&'static str, Failed> {
        enumeration(self.op, "group").and_then(Group::from_code).map(Group::name).ok_or_else(|| self.missing())
    }

    fn result(&self) -> Result<Value<'c, 'a>, Failed> {
        self.op.result(0).map(Into::into).map_err(|_| self.missing())
    }

    fn plain(&self, intrinsic: &str) -> Result<(), Failed> {
        call(&self.at, intrinsic, &[]);
        Ok(())
    }

    fn replace(&self, intrinsic: &str, arguments: &[Value<'c, 'a>]) -> Result<(), Failed> {
        let result = call(&self.at, intrinsic, arguments).ok_or_else(|| self.missing())?;
        replace_uses(self.result()?, result);
        Ok(())
    }

    fn peer_ptr(&self) -> Result<(), Failed> {
        let (buffer, pe) = (self.operand(0)?, self.operand(1)?);
        let mut there = None;
        let new = elsewhere(&self.at, buffer, |address| {
            there = call(&self.at, "__gicc_peer_ptr", &[address, pe]);
            there.unwrap_or(address)
        });
        replace_uses(self.result()?, new);
        there.map(|_| ()).ok_or_else(|| self.missing())
    }

    /// Destination, source, bytes and alignment of a transfer whose operands are those two, a count where there are more
    /// than `least` operands, and others.
    fn moved(&self, least: usize) -> Result<[Value<'c, 'a>; 4], Failed> {
        let (to, from) = (self.operand(0)?, self.operand(1)?);
        let element = type_attribute(self.op, "element")
            .or_else(|| element_of(to.r#type()))
            .or_else(|| element_of(from.r#type()))
            .ok_or_else(|| self.missing())?;
        let (size, alignment) = size_and_alignment(element).ok_or_else(|| self.missing())?;
        let many = if self.op.operand_count() > least {
            count(&self.at, self.operand(2)?)
        } else {
            elements(&self.at, from).or_else(|| elements(&self.at, to)).ok_or_else(|| self.missing())?
        };
        let bytes = bytes(&self.at, many, size);
        Ok([address(&self.at, to), address(&self.at, from), bytes, self.at.constant(32, alignment)])
    }

    fn transfer(&self, family: &str) -> Result<(), Failed> {
        let [to, from, bytes, element] = self.moved(3)?;
        let name = format!("{family}_{}", self.group()?);
        call(&self.at, &name, &[to, from, bytes, element, self.last(1)?]);
        Ok(())
    }

    fn put(&self) -> Result<(), Failed> {
        const ENGINES: [&str; 4] = ["direct", "sm", "proxy", "nvshmem"];
        if let Some(engine @ 1..) = enumeration(self.op, "engine") {
            let name = usize::try_from(engine).ok().and_then(|n| ENGINES.get(n)).unwrap_or(&"unknown");
            return self.refuse(&format!("the engine `{name}` is not built yet; `direct` is"));
        }
        self.transfer("__gicc_put")?;
        // The issuing threads have stored: what the event stands for is done when they are quiet.
        if self.op.result_count() > 0 {
            replace_uses(self.result()?, self.at.constant(32, 0));
        }
        Ok(())
    }

    fn put_signal(&self) -> Result<(), Failed> {
        let [to, from, bytes, element] = self.moved(5)?;
        let (signal, value, pe) = (address(&self.at, self.last(3)?), self.last(2)?, self.last(1)?);
        let name = format!("__gicc_put_signal_{}", self.group()?);
        call(&self.at, &name, &[to, from, bytes, element, signal, value, self.number("action")?, pe]);
        Ok(())
    }

    fn signal(&self) -> Result<(), Failed> {
        let word = address(&self.at, self.operand(0)?);
        let order = match enumeration(self.op, "order") {
            Some(_) => self.number("order")?,
            None => self.at.constant(32, Order::Release.code().into()),
        };
        let name = format!("__gicc_notify_{}", self.group()?);
        call(&self.at, &name, &[word, self.operand(1)?, self.number("action")?, order, self.operand(2)?]);
        Ok(())
    }

    fn wait(&self) -> Result<(), Failed> {
        let word = address(&self.at, self.operand(0)?);
        let source = if self.op.operand_count() > 2 { self.operand(2)? } else { self.at.constant(32, -1) };
        let name = format!("__gicc_wait_{}", self.group()?);
        self.replace(&name, &[word, self.number("compare")?, self.operand(1)?, source])
    }

    fn test(&self) -> Result<(), Failed> {
        let word = address(&self.at, self.operand(0)?);
        let arguments = [word, self.number("compare")?, self.operand(1)?];
        let answer = call(&self.at, "__gicc_test", &arguments).ok_or_else(|| self.missing())?;
        let predicate = self.at.attribute("1 : i64");
        let holds = self.at.value(
            "llvm.icmp",
            &[answer, self.at.constant(32, 0)],
            &[("predicate", predicate)],
            self.at.ty("i1"),
        );
        replace_uses(self.result()?, holds);
        Ok(())
    }

    fn ordering(&self, family: &str) -> Result<(), Failed> {
        let domain = name_attribute(self.op, "domain").and_then(|n| self.domains.get(&n)).copied();
        let auto = Domain { id: 0, scope: Scope::Auto.code().into() };
        let Domain { id, scope } = domain.unwrap_or(auto);
        let scope = enumeration(self.op, "scope").unwrap_or(scope);
        let scope = self.at.constant(32, i64::try_from(scope).map_err(|_| self.missing())?);
        call(&self.at, &format!("{family}_{}", self.group()?), &[scope, self.at.constant(32, id)]);
        Ok(())
    }

    /// With the engine `direct` an event is complete when the group that initiated is quiet.
    fn complete(&self) -> Result<(), Failed> {
        let group = event_group(self.operand(0)?.r#type()).and_then(Group::from_code).ok_or_else(|| self.missing())?;
        self.plain(&format!("__gicc_quiet_{}", group.name()))
    }

    fn event_test(&self) -> Result<(), Failed> {
        self.complete()?;
        let yes = self.at.attribute("true");
        replace_uses(self.result()?, self.at.value("llvm.mlir.constant", &[], &[("value", yes)], self.at.ty("i1")));
        Ok(())
    }

    /// The words and the buffer of the channel that is operand 0, with its type's parts.
    fn channel(&self) -> Result<Channel<'c, 'a>, Failed> {
        let channel = self.operand(0)?;
        let opened = melior::ir::operation::OperationResult::try_from(channel).ok().map(|r| r.owner());
        let Some(opened) = opened.filter(|o| name_of(*o) == "gicc.channel") else {
            return self.refuse("which channel this is does not show: use the result of `gicc.channel` itself");
        };
        let ty = channel_type(channel.r#type()).ok_or_else(|| self.missing())?;
        let (size, alignment) = size_and_alignment(ty.element).ok_or_else(|| self.missing())?;
        let state = operand(opened, 0).ok_or_else(|| self.missing())?;
        let buffer = operand(opened, 1).ok_or_else(|| self.missing())?;
        Ok(Channel {
            state: address(&self.at, state),
            buffer: address(&self.at, buffer),
            size,
            capacity: self.at.constant(64, ty.capacity * size),
            element: self.at.constant(32, alignment),
            slots: self.at.constant(32, ty.slots),
            protocol: self.at.constant(32, i64::try_from(ty.protocol).map_err(|_| self.missing())?),
        })
    }

    fn channel_put(&self) -> Result<(), Failed> {
        let c = self.channel()?;
        let source = self.operand(1)?;
        let many = if self.op.operand_count() > 3 {
            count(&self.at, self.operand(2)?)
        } else {
            elements(&self.at, source).ok_or_else(|| self.missing())?
        };
        let bytes = bytes(&self.at, many, c.size);
        let from = address(&self.at, source);
        let name = format!("__gicc_channel_put_{}", self.group()?);
        let pe = self.last(1)?;
        call(&self.at, &name, &[c.state, c.buffer, from, bytes, c.capacity, c.element, c.slots, c.protocol, pe]);
        Ok(())
    }

    fn channel_wait(&self) -> Result<(), Failed> {
        let c = self.channel()?;
        let name = format!("__gicc_channel_wait_{}", self.group()?);
        let arguments = [c.state, c.buffer, c.capacity, c.element, c.slots, c.protocol, self.operand(1)?];
        let slot = call(&self.at, &name, &arguments).ok_or_else(|| self.missing())?;
        let wanted: Type<'c> = self.result()?.r#type();
        replace_uses(self.result()?, buffer_at(&self.at, slot, wanted));
        Ok(())
    }

    fn channel_done(&self) -> Result<(), Failed> {
        let c = self.channel()?;
        let name = format!("__gicc_channel_done_{}", self.group()?);
        call(&self.at, &name, &[c.state, c.element, c.slots, c.protocol, self.operand(1)?]);
        Ok(())
    }
}

/// What calls of a channel's intrinsics are made of.
struct Channel<'c, 'a> {
    state: Value<'c, 'a>,
    buffer: Value<'c, 'a>,
    /// Bytes of an element.
    size: i64,
    capacity: Value<'c, 'a>,
    element: Value<'c, 'a>,
    slots: Value<'c, 'a>,
    protocol: Value<'c, 'a>,
}
