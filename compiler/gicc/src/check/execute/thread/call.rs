//! Calls: functions of the module, what gicc's team answers, gicc's orderings, and LLVM's intrinsics.

use std::rc::Rc;

use memory_model::{Scope, Semantics};

use super::super::decode::{Instruction, Shape};
use super::super::event::{AccessKind, EventKind, Function as Change, WARPS};
use super::super::value::{Compare, Scalar, Value, join};
use super::{ERROR_WORDS, End, HEAP, HEAP_BYTES, Run, STRIDE, WORKSPACE, WORKSPACE_BYTES};
use crate::analysis::known;

impl<'a> Run<'a> {
    pub(super) fn call(
        &mut self,
        instruction: &Instruction,
        name: &str,
        arguments: Vec<Value>,
    ) -> Result<Option<Value>, End> {
        if name.starts_with("gicc_rt_fail") {
            return Err(End::Failure);
        }
        match name {
            "__gicc_check_error_block" => {
                self.event(instruction, 0, "bar.red.or", EventKind::Barrier { id: 0, arrives: false });
            }
            "__gicc_check_error_warp" | "__gicc_check_error_thread" | "__gicc_error_code" => {}
            _ => return self.call_of(instruction, name, arguments),
        }
        Ok(Some(Value::known(u128::from(self.has_failed()))))
    }

    /// Whether something has failed, for a kernel that asks. A path on which it has is followed to the first thing that matters
    /// to others, and is none of the launch's: what failed is over.
    fn has_failed(&mut self) -> bool {
        if !self.failing {
            self.failing = self.decide();
        }
        self.failing
    }

    #[expect(clippy::too_many_lines, reason = "one arm for each intrinsic")]
    fn call_of(&mut self, instruction: &Instruction, name: &str, arguments: Vec<Value>) -> Result<Option<Value>, End> {
        let number = |index: usize| arguments.get(index).and_then(|v| v.scalar().get());
        if let Some(function) = self.functions.get(name) {
            let function = Rc::clone(function);
            return self.function(&function, arguments);
        }
        let known = |number: u64| Ok(Some(Value::known(number.into())));
        match name {
            "__gicc_my_pe" => return known(self.role.pe.into()),
            "__gicc_n_pes" => return known(self.launch.pes.into()),
            "__gicc_heap_base" => return known(HEAP),
            "__gicc_heap_stride" => return known(STRIDE),
            "__gicc_heap_bytes" => return known(HEAP_BYTES),
            "__gicc_workspace" => return known(self.heap(self.role.pe) + WORKSPACE),
            "__gicc_workspace_bytes" => return known(WORKSPACE_BYTES),
            "__gicc_error_words" => return known(self.heap(self.role.pe) + ERROR_WORDS),
            "__gicc_timeout_ns" => return known(1 << 40),
            _ => {}
        }
        // What stands in for it follows it.
        if known::collective(name).is_some() {
            return Ok(None);
        }
        if let Some(intrinsic) = name.strip_prefix("__gicc_") {
            return self.ordering(instruction, intrinsic, &arguments);
        }
        let Some(intrinsic) = name.strip_prefix("llvm.") else {
            if !name.is_empty() && !known::is_pure_math(name) {
                self.gap(instruction, format!("a call of `{name}`"));
            }
            let scalars: Vec<Scalar> = arguments.iter().flat_map(Value::scalars).collect();
            return Ok(Some(Value::One(self.unknown(&scalars))));
        };
        if let Some(register) = intrinsic.strip_prefix("nvvm.read.ptx.sreg.") {
            let value = self.special(register);
            return Ok(Some(match value {
                Some(number) => Value::known(number.into()),
                None => Value::One(self.unknown(&[])),
            }));
        }
        let barrier = |this: &mut Self, id: u32, arrives: bool| {
            let text = if arrives { format!("bar.arrive {id}") } else { format!("bar.sync {id}") };
            this.event(instruction, 0, &text, EventKind::Barrier { id, arrives });
        };
        match intrinsic {
            "nvvm.membar.cta" => self.fence(instruction, Semantics::SequentiallyConsistent, Scope::Cta),
            "nvvm.membar.gl" => self.fence(instruction, Semantics::SequentiallyConsistent, Scope::Gpu),
            "nvvm.membar.sys" => self.fence(instruction, Semantics::SequentiallyConsistent, Scope::Sys),
            "nvvm.bar.warp.sync" => {
                let id = WARPS + self.role.thread / 32;
                self.event(instruction, 0, "bar.warp.sync", EventKind::Barrier { id, arrives: false });
            }
            _ if intrinsic.starts_with("nvvm.barrier.cta.arrive") => {
                barrier(self, number(0).unwrap_or(0) as u32, true);
            }
            _ if intrinsic.starts_with("nvvm.barrier.cta.sync") => barrier(self, number(0).unwrap_or(0) as u32, false),
            _ if intrinsic.starts_with("nvvm.barrier.cta.red") => {
                barrier(self, number(0).unwrap_or(0) as u32, false);
                let scalars: Vec<Scalar> = arguments.iter().flat_map(Value::scalars).collect();
                return Ok(Some(Value::One(self.unknown(&scalars))));
            }
            _ if intrinsic.starts_with("nvvm.barrier0")
                || intrinsic == "nvvm.barrier.sync"
                || intrinsic.starts_with("nvvm.barrier.n") =>
            {
                barrier(
                    self,
                    if intrinsic.starts_with("nvvm.barrier0") { 0 } else { number(0).unwrap_or(0) as u32 },
                    false,
                );
            }
            _ if intrinsic.starts_with("nvvm.atomic.") => return self.nvvm_atomic(instruction, intrinsic, &arguments),
            _ if intrinsic.starts_with("memcpy") || intrinsic.starts_with("memmove") => {
                self.copy(instruction, &arguments)?;
            }
            _ if intrinsic.starts_with("memset") => {}
            _ if intrinsic.starts_with("expect")
                || intrinsic.starts_with("ssa.copy")
                || intrinsic.starts_with("annotation")
                || intrinsic.starts_with("ptr.annotation")
                || intrinsic.starts_with("launder")
                || intrinsic.starts_with("strip") =>
            {
                return Ok(arguments.into_iter().next());
            }
            _ if is_min_max(intrinsic).is_some() => {
                let (signed_kind, largest) = is_min_max(intrinsic).unwrap_or((false, false));
                let bits = intrinsic.rsplit('i').next().and_then(|b| b.parse().ok()).unwrap_or(64);
                let (a, b) =
                    (arguments[0].scalar(), arguments.get(1).map(Value::scalar).unwrap_or_else(|| Scalar::known(0)));
                let kind = if signed_kind { Compare::SLt } else { Compare::ULt };
                let less = self.compare(kind, &a, &b, bits);
                let inputs = join(a.inputs.as_ref(), b.inputs.as_ref());
                let mut picked = match less.get() {
                    Some(less) if (less == 1) != largest => a,
                    Some(_) => b,
                    None => self.unknown(&[a, b]),
                };
                picked.inputs = inputs;
                return Ok(Some(Value::One(picked)));
            }
            "nvvm.elect.sync" => {
                self.looks_at_thread = true;
                let lane = self.role.thread % 32;
                return Ok(Some(Value::Many(Rc::new(vec![Value::known(0), Value::known(u128::from(lane == 0))]))));
            }
            "nvvm.exit" | "trap" => return Err(End::Failure),
            _ if intrinsic.starts_with("lifetime")
                || intrinsic.starts_with("dbg")
                || intrinsic.starts_with("assume")
                || intrinsic.starts_with("experimental.noalias")
                || intrinsic.starts_with("nvvm.nanosleep") => {}
            _ => {
                let scalars: Vec<Scalar> = arguments.iter().flat_map(Value::scalars).collect();
                return Ok(Some(Value::One(self.unknown(&scalars))));
            }
        }
        Ok(None)
    }

    fn fence(&mut self, instruction: &Instruction, semantics: Semantics, scope: Scope) {
        self.event(instruction, 0, &format!("fence.{semantics}.{scope}"), EventKind::Fence(semantics, scope));
    }

    /// Predefined registers.
    pub(in crate::check::execute) fn special(&mut self, register: &str) -> Option<u32> {
        Some(match register {
            "tid.x" => {
                self.looks_at_thread = true;
                self.role.thread
            }
            "ntid.x" => self.launch.threads,
            "ctaid.x" => {
                self.looks_at_block = true;
                self.role.block
            }
            "nctaid.x" => self.launch.blocks,
            "tid.y" | "tid.z" | "ctaid.y" | "ctaid.z" => 0,
            "ntid.y" | "ntid.z" | "nctaid.y" | "nctaid.z" => 1,
            "laneid" | "warpid" => {
                self.looks_at_thread = true;
                if register == "laneid" { self.role.thread % 32 } else { self.role.thread / 32 }
            }
            "warpsize" => 32,
            _ => return None,
        })
    }

    /// An ordering of gicc's, behind the placing of fences.
    fn ordering(&mut self, instruction: &Instruction, name: &str, arguments: &[Value]) -> Result<Option<Value>, End> {
        let scalar = |index: usize| arguments.get(index).map_or_else(|| Scalar::known(0), Value::scalar);
        let order = |index: usize| match scalar(index).get() {
            Some(1) => Semantics::Release,
            Some(2) => Semantics::Acquire,
            Some(3) => Semantics::AcquireRelease,
            Some(4) => Semantics::SequentiallyConsistent,
            _ => Semantics::Relaxed,
        };
        let scope = |index: usize| match scalar(index).get() {
            Some(0) => Scope::Cta,
            Some(1) => Scope::Cluster,
            Some(2) => Scope::Gpu,
            _ => Scope::Sys,
        };
        let shape = |width: u32| Shape { width, count: 1, vector: false, pointer: false };
        Ok(match name {
            "fence" => {
                self.fence(instruction, order(0), scope(1));
                None
            }
            "store_u32" | "store_u64" => {
                let width = if name.ends_with("64") { 8 } else { 4 };
                self.store(instruction, &scalar(0), Value::One(scalar(1)), shape(width), order(2), scope(3), 0, false)?;
                None
            }
            "load_u32" | "load_u64" => {
                let width = if name.ends_with("64") { 8 } else { 4 };
                Some(self.load(instruction, &scalar(0), shape(width), order(1), scope(2), 0, false, false)?)
            }
            "red_add_u64" | "atom_add_u64" | "atom_inc_u32" => {
                let (text, change, width) = match name {
                    "red_add_u64" => ("red.add", Change::Add, 8),
                    "atom_add_u64" => ("atom.add", Change::Add, 8),
                    _ => ("atom.inc", Change::Increment, 4),
                };
                let operand = vec![scalar(1)];
                let old = self.atomic(
                    instruction,
                    text,
                    &scalar(0),
                    operand,
                    Some(change),
                    shape(width),
                    order(2),
                    scope(3),
                )?;
                (text != "red.add").then_some(old)
            }
            "atom_cas_u32" => Some(self.atomic(
                instruction,
                "atom.cas",
                &scalar(0),
                vec![scalar(1), scalar(2)],
                Some(Change::Swap),
                shape(4),
                order(3),
                scope(4),
            )?),
            "store_b128" => {
                self.packet(instruction, "st", &scalar(0), AccessKind::Store, &[scalar(1), scalar(2)], scope(4))?;
                None
            }
            "load_b128" => {
                let halves = self.packet(instruction, "ld", &scalar(0), AccessKind::Load, &[], scope(2))?;
                Some(Value::Many(Rc::new(halves.into_iter().map(Value::One).collect())))
            }
            _ => {
                self.gap(instruction, format!("a call of `__gicc_{name}`"));
                Some(Value::One(self.unknown(&[])))
            }
        })
    }

    /// `llvm.nvvm.atomic.add.gen.i.sys.i32.p0` and its kin: relaxed, at the scope that the name says.
    fn nvvm_atomic(
        &mut self,
        instruction: &Instruction,
        name: &str,
        arguments: &[Value],
    ) -> Result<Option<Value>, End> {
        let words: Vec<&str> = name.split('.').collect();
        let scope = if words.contains(&"sys") {
            Scope::Sys
        } else if words.contains(&"cta") {
            Scope::Cta
        } else {
            Scope::Gpu
        };
        let width = if words.iter().any(|w| matches!(*w, "i64" | "f64")) { 8 } else { 4 };
        let scalar = |index: usize| arguments.get(index).map_or_else(|| Scalar::known(0), Value::scalar);
        let change = match words.get(2) {
            Some(&"add") if words.get(4) == Some(&"i") => Some(Change::Add),
            Some(&"exch") => Some(Change::Exchange),
            Some(&"and") => Some(Change::And),
            Some(&"or") => Some(Change::Or),
            Some(&"xor") => Some(Change::Xor),
            Some(&"inc") => Some(Change::Increment),
            Some(&"dec") => Some(Change::Decrement),
            Some(&"cas") => Some(Change::Swap),
            _ => None,
        };
        let values = if change == Some(Change::Swap) { vec![scalar(1), scalar(2)] } else { vec![scalar(1)] };
        let shape = Shape { width, count: 1, vector: false, pointer: false };
        Ok(Some(self.atomic(instruction, "atom", &scalar(0), values, change, shape, Semantics::Relaxed, scope)?))
    }
}

/// Whether signed, and whether the larger, of the intrinsics of minimum and maximum.
fn is_min_max(intrinsic: &str) -> Option<(bool, bool)> {
    Some(match intrinsic.split('.').next()? {
        "smin" => (true, false),
        "smax" => (true, true),
        "umin" => (false, false),
        "umax" => (false, true),
        _ => return None,
    })
}
