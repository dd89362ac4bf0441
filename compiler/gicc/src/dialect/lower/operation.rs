//! Each operation as calls of intrinsics.

use std::collections::HashMap;

use gicc_abi::codes::{Engine, Group, Order, Protocol, Scope};
use melior::ir::attribute::DenseI32ArrayAttribute;
use melior::ir::operation::{OperationLike as _, OperationResult};
use melior::ir::{OperationRef, Value, ValueLike as _};

use super::Part;
use super::call::call;
use super::channel;
use super::domain::Domain;
use super::memory::{address, buffer_at, bytes, count, elements, elsewhere, static_elements};
use crate::collective::{Asked, Collective};
use crate::dialect::emit_error;
use crate::dialect::ir::{
    Before, channel_type, element_of, enumeration, event_group, integer, name_attribute, name_of, operand,
    replace_uses, size_and_alignment, type_attribute,
};
use crate::dialect::passes::Failed;

/// Stands between a value and one of another type that means the same.
pub(super) const CAST: &str = "builtin.unrealized_conversion_cast";

/// An operation that the verifier let through, so what it asks of it is there.
#[derive(Clone, Copy)]
struct Lowering<'c, 'a, 'd> {
    op: OperationRef<'c, 'a>,
    at: Before<'c, 'a>,
    domains: &'d HashMap<String, Domain>,
    parts: &'d HashMap<String, Part>,
}

/// Puts calls in front of an operation, and gives its results' users theirs. The operation itself stays.
pub(super) fn lower(
    operation: OperationRef<'_, '_>,
    domains: &HashMap<String, Domain>,
    parts: &HashMap<String, Part>,
) -> Result<(), Failed> {
    let this = Lowering { op: operation, at: Before::new(operation), domains, parts };
    match name_of(operation).as_str() {
        // Declarations are read where they are named.
        "gicc.team" | "gicc.domain" => Ok(()),
        "gicc.my_pe" => this.my_pe(),
        "gicc.n_pes" => this.n_pes(),
        "gicc.world_pe" => this.world_pe(),
        "gicc.error_code" => this.replace("__gicc_error_code", &[]),
        "gicc.check_error" => this.check_error(),
        "gicc.peer_ptr" => this.peer_ptr(),
        "gicc.put" => this.transfer("__gicc_put"),
        "gicc.initiate" => this.initiate(),
        "gicc.get" => this.transfer("__gicc_get"),
        "gicc.put_signal" => this.put_signal(),
        "gicc.signal" => this.signal(),
        "gicc.wait" => this.wait(),
        "gicc.test" => this.test(),
        "gicc.release" => this.ordering("__gicc_release"),
        "gicc.acquire" => this.ordering("__gicc_acquire"),
        "gicc.barrier" => this.barrier(),
        "gicc.quiet" => this.plain(&format!("__gicc_quiet_{}", this.group()?)),
        "gicc.event_wait" => this.event_wait(),
        "gicc.event_test" => this.event_test(),
        // Opened before anything else is lowered.
        "gicc.channel" => Ok(()),
        "gicc.channel_put" => this.channel_put(),
        "gicc.channel_wait" => this.channel_wait(),
        "gicc.channel_done" => this.channel_done(),
        "gicc.channel_close" => this.channel_close(),
        "gicc.all_reduce" | "gicc.all_gather" => this.collective(),
        other => this.refuse(&format!("`{other}` has no lowering")),
    }
}

impl<'c, 'a> Lowering<'c, 'a, '_> {
    fn refuse<T>(&self, message: &str) -> Result<T, Failed> {
        emit_error(self.op.location(), message);
        Err(Failed)
    }

    /// A collective that was not expanded: a call of the interface, as it stands in CUDA C++ too.
    fn collective(self) -> Result<(), Failed> {
        let Some(Asked { signature, arguments, part, .. }) = Asked::by(&self.at, self.op) else {
            return self.refuse("the collective lacks a part that its verifier asks for");
        };
        let of_part = if part.is_some() { "_part" } else { "" };
        let name = format!("__gicc_{}{of_part}_{}", signature.collective.name(), signature.group.name());
        let mut codes = vec![signature.element.code()];
        if let Collective::AllReduce(op) = signature.collective {
            codes.push(op.code());
        }
        codes.push(signature.algorithm.code());
        let mut all = arguments.to_vec();
        all.extend(codes.into_iter().map(|code| self.at.constant(32, code.into())));
        all.extend(part.into_iter().flatten());
        call(&self.at, &name, &all);
        Ok(())
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

    /// The part of the PEs that the operation names; nothing where it means all.
    fn part(&self) -> Option<Part> {
        name_attribute(self.op, "team").and_then(|name| self.parts.get(&name)).copied()
    }

    fn barrier(&self) -> Result<(), Failed> {
        let part = match self.part() {
            Some(part) => [part.start, part.stride, part.pes].map(|number| self.at.constant(32, number)),
            None if self.op.operand_count() == 0 => return self.plain("__gicc_barrier_block"),
            None => [self.operand(0)?, self.operand(1)?, self.operand(2)?],
        };
        call(&self.at, "__gicc_barrier_part_block", &part);
        Ok(())
    }

    /// An operation of the dialect `llvm` on 32 bits.
    fn on_32_bits(&self, name: &str, a: Value<'c, 'a>, b: Value<'c, 'a>) -> Value<'c, 'a> {
        self.at.value(name, &[a, b], &[], self.at.ty("i32"))
    }

    /// `a` where `x`, taken as unsigned, is less than the bound, else -1.
    fn if_unsigned_less(&self, x: Value<'c, 'a>, bound: i64, a: Value<'c, 'a>) -> Value<'c, 'a> {
        let less = self.at.attribute("6 : i64");
        let holds =
            self.at.value("llvm.icmp", &[x, self.at.constant(32, bound)], &[("predicate", less)], self.at.ty("i1"));
        self.at.value("llvm.select", &[holds, a, self.at.constant(32, -1)], &[], self.at.ty("i32"))
    }

    fn my_pe(&self) -> Result<(), Failed> {
        let Some(part) = self.part() else { return self.replace("__gicc_my_pe", &[]) };
        let me = call(&self.at, "__gicc_my_pe", &[]).ok_or_else(|| self.missing())?;
        let stride = self.at.constant(32, part.stride);
        // Below the first PE this is a large number, which no part has.
        let behind = self.on_32_bits("llvm.sub", me, self.at.constant(32, part.start));
        let number = self.on_32_bits("llvm.udiv", behind, stride);
        let rest = self.on_32_bits("llvm.urem", behind, stride);
        let number = self.if_unsigned_less(rest, 1, number);
        let number = self.if_unsigned_less(number, part.pes, number);
        replace_uses(self.result()?, number);
        Ok(())
    }

    fn n_pes(&self) -> Result<(), Failed> {
        let Some(part) = self.part() else { return self.replace("__gicc_n_pes", &[]) };
        replace_uses(self.result()?, self.at.constant(32, part.pes));
        Ok(())
    }

    /// The number among all PEs of a PE of the team that the operation names.
    fn in_world(&self, pe: Value<'c, 'a>) -> Value<'c, 'a> {
        let Some(part) = self.part() else { return pe };
        let further = self.on_32_bits("llvm.mul", pe, self.at.constant(32, part.stride));
        let there = self.on_32_bits("llvm.add", further, self.at.constant(32, part.start));
        self.if_unsigned_less(pe, part.pes, there)
    }

    fn world_pe(&self) -> Result<(), Failed> {
        replace_uses(self.result()?, self.in_world(self.operand(0)?));
        Ok(())
    }

    fn peer_ptr(&self) -> Result<(), Failed> {
        let (buffer, pe) = (self.operand(0)?, self.in_world(self.operand(1)?));
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
        self.moved_with(self.op.operand_count() > least)
    }

    fn moved_with(&self, counted: bool) -> Result<[Value<'c, 'a>; 4], Failed> {
        let (to, from) = (self.operand(0)?, self.operand(1)?);
        let element = type_attribute(self.op, "element")
            .or_else(|| element_of(to.r#type()))
            .or_else(|| element_of(from.r#type()))
            .ok_or_else(|| self.missing())?;
        let (size, alignment) = size_and_alignment(element).ok_or_else(|| self.missing())?;
        let many = if counted {
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

    /// The result of a call that answers with 0 or 1, as a condition.
    fn answer(&self, intrinsic: &str, arguments: &[Value<'c, 'a>]) -> Result<(), Failed> {
        let answer = call(&self.at, intrinsic, arguments).ok_or_else(|| self.missing())?;
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

    fn check_error(&self) -> Result<(), Failed> {
        self.answer(&format!("__gicc_check_error_{}", self.group()?), &[])
    }

    fn initiate(&self) -> Result<(), Failed> {
        let engine = enumeration(self.op, "engine").and_then(Engine::from_code).unwrap_or(Engine::Auto);
        if !matches!(engine, Engine::Auto | Engine::Direct) {
            return self.refuse(&format!("the engine `{}` is not built yet; `direct` is", engine.name()));
        }
        // Destination, source, count, signal, value, PE.
        let segments = segments(self.op);
        let [_, _, counted, signalled, _, _] = segments[..] else { return Err(self.missing()) };
        let [to, from, bytes, element] = self.moved_with(counted == 1)?;
        let (word, value, action) = if signalled == 1 {
            let n = 2 + counted;
            (address(&self.at, self.operand(n)?), self.operand(n + 1)?, self.number("action")?)
        } else {
            let null = self.at.value("llvm.mlir.zero", &[], &[], self.at.ty("!llvm.ptr"));
            (null, self.at.constant(64, 0), self.at.constant(32, 0))
        };
        let priority = self.at.constant(32, integer(self.op, "priority").unwrap_or(0));
        let domain = self.at.constant(32, self.domain().id);
        let engine = self.at.constant(32, engine.code().into());
        let name = format!("__gicc_initiate_{}", self.group()?);
        let pe = self.last(1)?;
        let arguments = [to, from, bytes, element, word, value, action, priority, domain, engine, pe];
        let event = call(&self.at, &name, &arguments).ok_or_else(|| self.missing())?;
        // Its type says the group until all operations are lowered.
        let result = self.result()?;
        replace_uses(result, self.at.value(CAST, &[event], &[], result.r#type()));
        Ok(())
    }

    /// The domain that the operation names; without one, the whole symmetric heap and whatever reach is needed.
    fn domain(&self) -> Domain {
        let named = name_attribute(self.op, "domain").and_then(|n| self.domains.get(&n)).copied();
        named.unwrap_or(Domain { id: 0, scope: Scope::Auto.code().into() })
    }

    fn scope_and_domain(&self) -> Result<[Value<'c, 'a>; 2], Failed> {
        let Domain { id, scope } = self.domain();
        let scope = enumeration(self.op, "scope").unwrap_or(scope);
        let scope = self.at.constant(32, i64::try_from(scope).map_err(|_| self.missing())?);
        Ok([scope, self.at.constant(32, id)])
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
        self.answer("__gicc_test", &[word, self.number("compare")?, self.operand(1)?])
    }

    fn ordering(&self, family: &str) -> Result<(), Failed> {
        call(&self.at, &format!("{family}_{}", self.group()?), &self.scope_and_domain()?);
        Ok(())
    }

    fn event_wait(&self) -> Result<(), Failed> {
        let event = self.operand(0)?;
        let group = event_group(event.r#type()).and_then(Group::from_code).ok_or_else(|| self.missing())?;
        let [scope, domain] = self.scope_and_domain()?;
        self.answer(&format!("__gicc_event_wait_{}", group.name()), &[event, scope, domain])
    }

    fn event_test(&self) -> Result<(), Failed> {
        let [scope, domain] = self.scope_and_domain()?;
        self.answer("__gicc_event_test", &[self.operand(0)?, scope, domain])
    }

    /// What the calls of the channel that is operand 0 are made of.
    fn channel(&self) -> Result<Channel<'c, 'a>, Failed> {
        let channel = self.operand(0)?;
        let opened = OperationResult::try_from(channel).ok().map(|r| r.owner());
        let Some(opened) = opened.filter(|o| name_of(*o) == CAST) else {
            return self.refuse("which channel this is does not show: use the result of `gicc.channel` itself");
        };
        let ty = channel_type(channel.r#type()).ok_or_else(|| self.missing())?;
        let (size, alignment) = size_and_alignment(ty.element).ok_or_else(|| self.missing())?;
        let part = |n| operand(opened, n).ok_or_else(|| self.missing());
        Ok(Channel {
            counters: part(0)?,
            state: part(1)?,
            buffer: part(2)?,
            name: part(3)?,
            size,
            capacity: self.at.constant(64, ty.capacity * size),
            element: self.at.constant(32, alignment),
            slots: self.at.constant(32, ty.slots),
            protocol: self.at.constant(32, i64::try_from(ty.protocol).map_err(|_| self.missing())?),
            packet_data: self.at.constant(32, channel::packet_data(ty.capacity * size)),
            is_simple: ty.protocol == u64::from(Protocol::Simple.code()),
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
        let head = [c.counters, c.state, c.buffer, from, bytes];
        call(&self.at, &name, &[&head[..], &c.shape(), &[self.last(1)?, c.name]].concat());
        Ok(())
    }

    fn channel_wait(&self) -> Result<(), Failed> {
        let c = self.channel()?;
        let slot = self.result()?;
        let length = if self.op.operand_count() > 2 {
            bytes(&self.at, count(&self.at, self.operand(1)?), c.size)
        } else if c.is_simple {
            self.at.constant(64, -1)
        } else {
            let elements = static_elements(slot.r#type()).ok_or_else(|| self.missing())?;
            self.at.constant(64, elements * c.size)
        };
        let name = format!("__gicc_channel_wait_{}", self.group()?);
        let head = [c.counters, c.state, c.buffer, length];
        let arguments = [&head[..], &c.shape(), &[self.last(1)?, c.name]].concat();
        let address = call(&self.at, &name, &arguments).ok_or_else(|| self.missing())?;
        replace_uses(slot, buffer_at(&self.at, address, slot.r#type()));
        Ok(())
    }

    fn channel_done(&self) -> Result<(), Failed> {
        let c = self.channel()?;
        let name = format!("__gicc_channel_done_{}", self.group()?);
        call(&self.at, &name, &[c.counters, c.state, c.slots, c.protocol, self.operand(1)?]);
        Ok(())
    }

    fn channel_close(&self) -> Result<(), Failed> {
        let c = self.channel()?;
        call(&self.at, "__gicc_channel_close", &[c.counters, c.state, c.protocol]);
        Ok(())
    }
}

/// How many operands each part of an operation has.
fn segments(operation: OperationRef<'_, '_>) -> Vec<usize> {
    let Ok(attribute) = operation.attribute("operandSegmentSizes") else { return Vec::new() };
    let Ok(sizes) = DenseI32ArrayAttribute::try_from(attribute) else { return Vec::new() };
    (0..sizes.len()).filter_map(|n| sizes.element(n).ok()).filter_map(|n| usize::try_from(n).ok()).collect()
}

/// What calls of a channel's intrinsics are made of.
struct Channel<'c, 'a> {
    counters: Value<'c, 'a>,
    state: Value<'c, 'a>,
    buffer: Value<'c, 'a>,
    name: Value<'c, 'a>,
    /// Bytes of an element.
    size: i64,
    capacity: Value<'c, 'a>,
    element: Value<'c, 'a>,
    slots: Value<'c, 'a>,
    protocol: Value<'c, 'a>,
    packet_data: Value<'c, 'a>,
    is_simple: bool,
}

impl<'c, 'a> Channel<'c, 'a> {
    /// The parameters from `capacity` to `packet_data`.
    fn shape(&self) -> [Value<'c, 'a>; 5] {
        [self.capacity, self.element, self.slots, self.protocol, self.packet_data]
    }
}
