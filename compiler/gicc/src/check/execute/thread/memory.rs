//! Memory: loads, stores, atomic operations and copies. The thread's own variables and parameters are remembered; any other
//! memory may be changed by others, so that accesses of it are events.

use std::collections::BTreeSet;
use std::rc::Rc;

use gicc_abi::heap;
use memory_model::{Proxy, Scope, Semantics};

use super::super::decode::{Instruction, SHARED_WINDOW, Shape};
use super::super::event::{Access, AccessKind, EventKind, Function as Change};
use super::super::value::{Expression, Input, Read, Scalar, Value, cut, opaque};
use super::{End, FRAMES, HEAP, HEAP_BYTES, MULTICAST, PARAMETERS, Run, WORKSPACE};

impl<'a> Run<'a> {
    /// Whether the same instruction read the same address before, a branch on a read was taken since, and nothing else
    /// happened: one more round of a poll, which says nothing new.
    fn is_vain(&self, site: (u32, u32), address: u64) -> bool {
        for (index, event) in self.events.iter().enumerate().rev() {
            match &event.kind {
                EventKind::Access(access) if event.site == site && access.address == address => {
                    return self.forked_at > index;
                }
                EventKind::Access(access) if access.kind == AccessKind::Store => return false,
                EventKind::Barrier { .. } | EventKind::Copy { .. } | EventKind::Commit => return false,
                _ => {}
            }
        }
        false
    }

    fn is_private(address: u64) -> bool {
        (PARAMETERS..PARAMETERS + (1 << 24)).contains(&address) || (FRAMES..HEAP).contains(&address)
    }

    /// Whether an address is where the own PE counts the barriers that a block has passed (`runtime/device/src/barrier.cu`). Each
    /// thread reads it once in each, so what it reads is how many it has passed, from none in the first launch on.
    fn is_barrier_epoch(&self, address: u64) -> bool {
        let first = self.heap(self.role.pe) + WORKSPACE + heap::BARRIER_EPOCHS;
        (first..first + 8 * heap::MAX_BARRIER_BLOCKS as u64).contains(&address)
    }

    #[expect(clippy::too_many_arguments, reason = "each is a part of the instruction")]
    pub(super) fn load(
        &mut self,
        instruction: &Instruction,
        address: &Scalar,
        shape: Shape,
        semantics: Semantics,
        scope: Scope,
        space: u32,
        constant: bool,
        volatile: bool,
    ) -> Result<Value, End> {
        let Some(at) = address.get() else {
            return Ok(self.lost_access(instruction, address, shape));
        };
        let at = generic(at, space);
        if constant || Self::is_private(at) {
            return Ok(self.private_load(at, shape));
        }
        if self.is_barrier_epoch(at) {
            let passed = self.barriers.entry(at).or_default();
            *passed += 1;
            return Ok(Value::known((*passed - 1).into()));
        }
        let text = format!("ld{}{}", strength_text(semantics, scope, volatile), width_text(shape));
        let reads = self.access(
            instruction,
            0,
            &text,
            Access {
                kind: AccessKind::Load,
                address: at,
                width: shape.width,
                count: shape.count,
                semantics,
                scope,
                proxy: Proxy::Generic,
                values: Vec::new(),
                packet: false,
            },
        )?;
        Ok(if shape.vector {
            Value::Many(Rc::new(reads.into_iter().map(Value::One).collect()))
        } else {
            Value::One(reads.into_iter().next().unwrap_or_else(|| Scalar::known(0)))
        })
    }

    /// An access whose address depends on what is not known.
    fn lost_access(&mut self, instruction: &Instruction, address: &Scalar, shape: Shape) -> Value {
        self.gap(instruction, "an address that depends on memory");
        let one = self.unknown(std::slice::from_ref(address));
        if shape.vector { Value::Many(Rc::new(vec![Value::One(one); shape.count as usize])) } else { Value::One(one) }
    }

    /// Adds an access; what it reads, for each scalar.
    pub(in crate::check::execute) fn access(
        &mut self,
        instruction: &Instruction,
        part: u32,
        text: &str,
        access: Access,
    ) -> Result<Vec<Scalar>, End> {
        let site = (instruction.id, part);
        let (reads, count) = (access.reads(), access.count * access.lanes_each());
        if reads && self.is_vain(site, access.address) {
            return Err(End::Vain);
        }
        if !self.reachable(access.address) {
            return Err(End::Failure);
        }
        let event = self.events.len();
        self.event(instruction, part, text, EventKind::Access(access));
        Ok(if reads {
            (0..count)
                .map(|lane| Scalar { number: Err(Rc::new(Expression::Read(Read { event, lane }))), inputs: None })
                .collect()
        } else {
            Vec::new()
        })
    }

    /// The addresses of all PEs' copies of memory of the own heap, as those of a multicast access; none of other memory.
    pub(in crate::check::execute) fn copies(&self, address: u64) -> Vec<u64> {
        let own = self.heap(self.role.pe);
        let Some(offset) = address.checked_sub(own).filter(|offset| *offset < HEAP_BYTES) else { return Vec::new() };
        (0..self.launch.pes).map(|pe| MULTICAST + self.heap(pe) + offset).collect()
    }

    /// Whether some PE of the team, or a variable, has the address.
    fn reachable(&self, address: u64) -> bool {
        let address = address.checked_sub(MULTICAST).unwrap_or(address);
        address < HEAP && address > 0xffff
            || (0..self.launch.pes).any(|pe| (self.heap(pe)..self.heap(pe) + HEAP_BYTES).contains(&address))
    }

    fn private_load(&mut self, at: u64, shape: Shape) -> Value {
        let mut parts = Vec::new();
        for lane in 0..shape.count {
            let address = at + u64::from(lane * shape.width);
            let part = match self.memory.get(&address) {
                Some((width, value)) if *width == shape.width => value.clone(),
                _ => self.part_of(address, shape.width),
            };
            parts.push(part);
        }
        if shape.vector { Value::Many(Rc::new(parts)) } else { parts.swap_remove(0) }
    }

    /// Bytes of a known number that was stored beside or around.
    fn part_of(&mut self, address: u64, width: u32) -> Value {
        if let Some((start, (bytes, value))) = self.memory.range(..=address).next_back()
            && let Value::One(scalar) = value
            && let Some(number) = scalar.get()
            && address + u64::from(width) <= start + u64::from(*bytes)
        {
            return Value::known(cut(number >> (8 * (address - start)), width * 8));
        }
        if (PARAMETERS..PARAMETERS + (1 << 24)).contains(&address) {
            let within = address - PARAMETERS;
            let input = 1000 + (within as Input);
            return Value::One(self.input(input, width * 8));
        }
        Value::One(self.unknown(&[]))
    }

    #[expect(clippy::too_many_arguments, reason = "each is a part of the instruction")]
    pub(super) fn store(
        &mut self,
        instruction: &Instruction,
        address: &Scalar,
        value: Value,
        shape: Shape,
        semantics: Semantics,
        scope: Scope,
        space: u32,
        volatile: bool,
    ) -> Result<(), End> {
        let Some(at) = address.get() else {
            self.lost_access(instruction, address, shape);
            return Ok(());
        };
        let at = generic(at, space);
        if self.is_barrier_epoch(at) {
            return Ok(());
        }
        if Self::is_private(at) {
            match &value {
                Value::Many(parts) if shape.vector => {
                    for (lane, part) in parts.iter().enumerate() {
                        self.memory.insert(at + lane as u64 * u64::from(shape.width), (shape.width, part.clone()));
                    }
                }
                _ => {
                    self.memory.insert(at, (shape.width, value));
                }
            }
            return Ok(());
        }
        let mut values: Vec<_> = value.scalars().into_iter().map(|scalar| scalar.number).collect();
        values.truncate(shape.count as usize);
        while values.len() < shape.count as usize {
            values.push(Err(opaque(BTreeSet::new(), &mut self.fresh)));
        }
        let text = format!("st{}{}", strength_text(semantics, scope, volatile), width_text(shape));
        self.access(
            instruction,
            0,
            &text,
            Access {
                kind: AccessKind::Store,
                address: at,
                width: shape.width,
                count: shape.count,
                semantics,
                scope,
                proxy: Proxy::Generic,
                values,
                packet: false,
            },
        )?;
        Ok(())
    }

    #[expect(clippy::too_many_arguments, reason = "each is a part of the instruction")]
    pub(super) fn atomic(
        &mut self,
        instruction: &Instruction,
        name: &str,
        address: &Scalar,
        values: Vec<Scalar>,
        change: Option<Change>,
        shape: Shape,
        semantics: Semantics,
        scope: Scope,
    ) -> Result<Value, End> {
        let Some(at) = address.get() else {
            return Ok(self.lost_access(instruction, address, shape));
        };
        let change = match change {
            Some(change) => change,
            None => {
                self.gap(
                    instruction,
                    "an atomic operation whose new value is not followed (of floating-point or signed numbers)",
                );
                Change::Exchange
            }
        };
        let mut values: Vec<_> = values.into_iter().map(|scalar| scalar.number).collect();
        for number in values.iter_mut().flatten() {
            *number = cut(*number, shape.width * 8);
        }
        let text = format!("{name} {semantics}.{scope}");
        let access = Access {
            kind: AccessKind::Atomic(change, true),
            address: generic(at, 0),
            width: shape.width,
            count: 1,
            semantics,
            scope,
            proxy: Proxy::Generic,
            values,
            packet: false,
        };
        let reads = self.access(instruction, 0, &text, access)?;
        Ok(Value::One(reads.into_iter().next().unwrap_or_else(|| Scalar::known(0))))
    }

    /// One relaxed access of a word of 16 bytes.
    pub(super) fn packet(
        &mut self,
        instruction: &Instruction,
        name: &str,
        address: &Scalar,
        kind: AccessKind,
        halves: &[Scalar],
        scope: Scope,
    ) -> Result<Vec<Scalar>, End> {
        let shape = Shape { width: 16, count: 1, vector: false, pointer: false };
        let Some(at) = address.get() else {
            let one = self.lost_access(instruction, address, shape).scalar();
            return Ok(vec![one.clone(), one]);
        };
        let access = Access {
            kind,
            address: generic(at, 0),
            width: 16,
            count: 1,
            semantics: Semantics::Relaxed,
            scope,
            proxy: Proxy::Generic,
            values: halves.iter().map(|half| half.number.clone()).collect(),
            packet: true,
        };
        self.access(instruction, 0, &format!("{name}.relaxed.{scope}.b128"), access)
    }

    /// memcpy and memmove: loads and stores of words.
    pub(super) fn copy(&mut self, instruction: &Instruction, arguments: &[Value]) -> Result<(), End> {
        let scalar = |index: usize| arguments.get(index).map_or_else(|| Scalar::known(0), Value::scalar);
        let (to, from, bytes) = (scalar(0), scalar(1), scalar(2));
        let Some(bytes) = bytes.get() else { return Ok(()) };
        let bytes = bytes.min(64) as u32;
        let width = [16, 8, 4, 2].into_iter().find(|w| bytes.is_multiple_of(*w)).unwrap_or(1).min(8);
        let shape = Shape { width, count: (bytes / width).clamp(1, 8), vector: true, pointer: false };
        let value = self.load(instruction, &from, shape, Semantics::Weak, Scope::Sys, 0, false, false)?;
        self.store(instruction, &to, value, shape, Semantics::Weak, Scope::Sys, 0, false)
    }
}

/// The generic address of an address in a space.
pub(in crate::check::execute) fn generic(address: u128, space: u32) -> u64 {
    let address = address as u64;
    if space == 3 { (address & 0xffff_ffff) + SHARED_WINDOW } else { address }
}

fn strength_text(semantics: Semantics, scope: Scope, volatile: bool) -> String {
    match semantics {
        _ if volatile => ".volatile".to_owned(),
        Semantics::Weak => String::new(),
        _ => format!(".{semantics}.{scope}"),
    }
}

fn width_text(shape: Shape) -> String {
    let vector = if shape.count > 1 { format!(".v{}", shape.count) } else { String::new() };
    format!("{vector}.b{}", shape.width * 8)
}
