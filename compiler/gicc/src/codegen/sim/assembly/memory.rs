//! Inline PTX that accesses memory.

use gicc_abi::codes::{Order as SimOrder, Scope as SimScope};
use gicc_abi::sim::{CopyGroupOp, Entry, FenceKind, MbarrierOp, Meta, Rmw, Space};
use inkwell::llvm_sys::{LLVMIntPredicate, LLVMOpcode};
use ptx::op::{
    Atomic, AtomicOp, BulkCompletion, CopyGroup, CpAsync, CpAsyncBulk, CpReduceAsyncBulk, Ld, Mbarrier, MbarrierAction,
    MembarLevel, Order, ProxyKind, St, StAsync,
};
use ptx::{Offset, Op, Operand, ScalarType, Scope, Semantics, StateSpace, VectorSize};

use super::super::ir::Value;
use super::super::memory as access;
use super::Refusal;
use super::body::Body;

fn order(semantics: Semantics) -> Option<SimOrder> {
    match semantics {
        Semantics::Weak => None,
        Semantics::Relaxed => Some(SimOrder::Relaxed),
        Semantics::Acquire => Some(SimOrder::Acquire),
        Semantics::Release => Some(SimOrder::Release),
        Semantics::AcquireRelease => Some(SimOrder::AcquireRelease),
        Semantics::SequentiallyConsistent => Some(SimOrder::SequentiallyConsistent),
    }
}

fn scope(scope: Scope) -> SimScope {
    match scope {
        Scope::Cta => SimScope::Block,
        Scope::Cluster => SimScope::Cluster,
        Scope::Gpu => SimScope::Device,
        Scope::Sys => SimScope::System,
    }
}

/// The space of an access; `None` where it is not translated.
pub(super) fn space(space: StateSpace) -> Option<Space> {
    Some(match space {
        StateSpace::Generic => Space::Generic,
        StateSpace::Global => Space::Global,
        StateSpace::Shared | StateSpace::SharedCta => Space::Shared,
        StateSpace::SharedCluster => Space::SharedCluster,
        StateSpace::Const => Space::Constant,
        StateSpace::Local => Space::Local,
        _ => return None,
    })
}

/// The access of this shape.
pub(super) fn describe(
    space_of: StateSpace,
    ty: ScalarType,
    vector: Option<VectorSize>,
    how: Order,
) -> Result<Meta, Refusal> {
    let space = space(space_of).ok_or_else(|| format!("the state space .{space_of} is not supported here"))?;
    let lanes = vector.map_or(1, VectorSize::lanes);
    let (_, element) = ty.packed();
    let meta = Meta::access(u64::from(ty.bytes() * lanes)).element(element.into()).space(space);
    let strong = |semantics, scope| match order(semantics) {
        Some(order) => meta.strong(order, scope),
        None => meta,
    };
    Ok(match how {
        Order::Unmarked | Order::Weak => meta,
        Order::Volatile => meta.strong(SimOrder::Relaxed, SimScope::System).volatile(),
        Order::Strong(semantics, s) => strong(semantics, scope(s)),
        Order::Mmio(semantics) => strong(semantics, SimScope::System).mmio(),
    })
}

impl Body<'_> {
    /// Translates an instruction that accesses memory; false where it is none.
    pub(super) fn memory(&mut self, op: &Op, operands: &[Operand]) -> Result<bool, Refusal> {
        match op {
            Op::Ld(op) => self.ld(op, operands)?,
            Op::Ldu(op) => {
                let op = Ld {
                    order: Order::Weak,
                    space: op.space,
                    non_coherent: true,
                    cache: None,
                    hints: Vec::new(),
                    vector: op.vector,
                    ty: op.ty,
                };
                self.ld(&op, operands)?;
            }
            Op::St(op) => self.st(op, operands)?,
            Op::StAsync(op) => self.st_async(op, operands)?,
            Op::Atomic(op) => self.atomic(op, operands)?,
            Op::Fence(fence) => {
                let order = fence.semantics.and_then(order).unwrap_or(SimOrder::AcquireRelease);
                access::emit_fence(self.ir, order, scope(fence.scope));
            }
            Op::Membar(level) => {
                let scope = match level {
                    MembarLevel::Cta => SimScope::Block,
                    MembarLevel::Gl => SimScope::Device,
                    MembarLevel::Sys => SimScope::System,
                };
                access::emit_fence(self.ir, SimOrder::SequentiallyConsistent, scope);
            }
            Op::FenceProxy(fence) => {
                let kind = match fence.kind {
                    ProxyKind::Alias => FenceKind::ProxyAlias,
                    ProxyKind::Async | ProxyKind::AsyncGeneric => FenceKind::ProxyAsync,
                    ProxyKind::AsyncGlobal => FenceKind::ProxyAsyncGlobal,
                    ProxyKind::AsyncSharedCta | ProxyKind::AsyncSharedCluster => FenceKind::ProxyAsyncShared,
                    ProxyKind::TensormapGeneric => FenceKind::ProxyTensorMap,
                };
                let meta = match (fence.semantics.and_then(order), fence.scope) {
                    (Some(order), Some(s)) => Meta(0).strong(order, scope(s)),
                    _ => Meta(0),
                };
                self.entry(Entry::Fence, &[self.int(64, kind.code())], meta);
            }
            Op::FenceMbarrierInit => {
                let meta = Meta(0).strong(SimOrder::Release, SimScope::Cluster);
                self.entry(Entry::Fence, &[self.int(64, FenceKind::MbarrierInit.code())], meta);
            }
            Op::Multimem(op) => self.multimem(op, operands)?,
            Op::CpAsync(op) => self.cp_async(op, operands)?,
            Op::CpAsyncBulk(op) => self.cp_async_bulk(op, operands)?,
            Op::CpReduceAsyncBulk(op) => self.cp_reduce_async_bulk(op, operands)?,
            Op::CopyGroup(group) => {
                let operation = match group {
                    // Copies of a thread are complete when their instruction has run.
                    CopyGroup::Commit | CopyGroup::Wait | CopyGroup::WaitAll => return Ok(true),
                    CopyGroup::BulkCommit => CopyGroupOp::Commit,
                    CopyGroup::BulkWait { read: false } => CopyGroupOp::Wait,
                    CopyGroup::BulkWait { read: true } => CopyGroupOp::WaitRead,
                };
                let pending = match operands.first() {
                    Some(operand) => self.constant(operand)? as u64,
                    None => 0,
                };
                let arguments = [self.int(64, operation.code()), self.int(64, pending)];
                self.entry(Entry::CopyGroup, &arguments, Meta(0));
            }
            Op::Prefetch(_) | Op::CpAsyncBulkPrefetch(_) | Op::GridDepControl { .. } | Op::SetMaxNReg { .. } => {}
            Op::CpAsyncMbarrierArrive(op) => {
                // Without `.noinc` the arrival is one more than was expected, and nothing changes.
                if op.noinc {
                    let address = self.address(&operands[0], op.space)?;
                    let one = self.int(64, 1);
                    self.mbarrier_call(MbarrierOp::Arrive, address, one);
                }
            }
            Op::Mbarrier(op) => self.mbarrier(op, operands)?,
            Op::CreatePolicy(_) => {
                let zero = self.int(64, 0);
                self.write(&operands[0], zero, ScalarType::B64)?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// The host address of a memory operand.
    pub(super) fn address(&mut self, operand: &Operand, space_of: StateSpace) -> Result<Value, Refusal> {
        let Operand::Address(address) = operand else { return Err(format!("`{operand}` is no address")) };
        if !address.coordinates.is_empty() {
            return Err("an address with coordinates is not supported".to_owned());
        }
        let mut value = self.read(&address.base, ScalarType::U64)?;
        let offset = match &address.offset {
            Offset::None => 0,
            Offset::Bytes(bytes) => *bytes,
            Offset::Placeholder(p) => self.constant(&Operand::Placeholder(*p))?,
        };
        if offset != 0 {
            value = self.ir.binary(LLVMOpcode::LLVMAdd, value, self.int(64, offset as u64));
        }
        if matches!(space(space_of), Some(Space::Shared | Space::SharedCluster)) {
            value = self.call("sim.lib.shared_address", self.ir.int(64), &[value]);
        }
        Ok(self.ir.cast(LLVMOpcode::LLVMIntToPtr, value, self.ir.pointer(0)))
    }

    pub(super) fn lanes(operand: &Operand) -> Vec<&Operand> {
        match operand {
            Operand::Vector(elements) => elements.iter().collect(),
            other => vec![other],
        }
    }

    /// A place on the stack for what one call moves.
    pub(super) fn buffer(&self, bytes: u64) -> Value {
        self.ir.entry_alloca(self.function, bytes.next_multiple_of(16), 16)
    }

    pub(super) fn at(&self, base: Value, bytes: u64) -> Value {
        self.ir.offset(base, self.int(64, bytes))
    }

    fn ld(&mut self, op: &Ld, operands: &[Operand]) -> Result<(), Refusal> {
        let mut meta = describe(op.space, op.ty, op.vector, op.order)?;
        if op.non_coherent {
            meta = meta.non_coherent();
        }
        let address = self.address(&operands[1], op.space)?;
        let lanes = Self::lanes(&operands[0]);
        let (bits, bytes) = (op.ty.bits(), u64::from(op.ty.bytes()));
        if lanes.len() == 1 && bits <= 64 {
            let word = self.entry(Entry::Load, &[address], meta);
            let value = self.resize(word, bits, false);
            return self.write(lanes[0], value, op.ty);
        }
        let buffer = self.buffer(meta.bytes());
        self.entry(Entry::LoadTo, &[buffer, address], meta);
        for (lane, operand) in (0..).zip(lanes) {
            let value = self.ir.load(self.ir.int(bits), self.at(buffer, lane * bytes), bytes);
            self.write(operand, value, op.ty)?;
        }
        Ok(())
    }

    fn st(&mut self, op: &St, operands: &[Operand]) -> Result<(), Refusal> {
        let meta = describe(op.space, op.ty, op.vector, op.order)?;
        let address = self.address(&operands[0], op.space)?;
        self.store_lanes(address, &operands[1], op.ty, meta)
    }

    pub(super) fn store_lanes(
        &mut self,
        address: Value,
        value: &Operand,
        ty: ScalarType,
        meta: Meta,
    ) -> Result<(), Refusal> {
        let lanes = Self::lanes(value);
        let bytes = u64::from(ty.bytes());
        if lanes.len() == 1 && ty.bits() <= 64 {
            let value = self.read(lanes[0], ty)?;
            let word = self.resize(value, 64, false);
            self.entry(Entry::Store, &[address, word], meta);
            return Ok(());
        }
        let buffer = self.buffer(meta.bytes());
        for (lane, operand) in (0..).zip(lanes) {
            let value = self.read(operand, ty)?;
            self.ir.store(value, self.at(buffer, lane * bytes), bytes);
        }
        self.entry(Entry::StoreFrom, &[address, buffer], meta);
        Ok(())
    }

    fn st_async(&mut self, op: &StAsync, operands: &[Operand]) -> Result<(), Refusal> {
        let meta = describe(StateSpace::SharedCluster, op.ty, op.vector, Order::Weak)?.asynchronous();
        let address = self.address(&operands[0], StateSpace::SharedCluster)?;
        self.store_lanes(address, &operands[1], op.ty, meta)?;
        let barrier = self.address(&operands[2], StateSpace::SharedCluster)?;
        let bytes = self.int(64, meta.bytes());
        self.mbarrier_call(MbarrierOp::CompleteTransaction, barrier, bytes);
        Ok(())
    }

    fn atomic(&mut self, op: &Atomic, operands: &[Operand]) -> Result<(), Refusal> {
        let operation = operation(op.op, op.ty).ok_or_else(|| format!("there is no .{} of .{}", op.op, op.ty))?;
        let order = order(op.semantics.unwrap_or(Semantics::Relaxed)).unwrap_or(SimOrder::Relaxed);
        let scope = scope(op.scope.unwrap_or(Scope::Gpu));
        // A vector is so many atomic operations on its elements; only the address is aligned as a whole.
        let mut meta = describe(op.space, op.ty, None, Order::Weak)?.strong(order, scope);
        if !op.returns {
            meta = meta.reduction();
        }
        let (destination, rest) = if op.returns { (Some(&operands[0]), &operands[1..]) } else { (None, operands) };
        let address = self.address(&rest[0], op.space)?;
        let values = Self::lanes(&rest[1]);
        let results = destination.map(Self::lanes);
        let code = self.int(64, operation.code());
        let bytes = u64::from(op.ty.bytes());
        // For `cas` the operand that is compared comes first.
        let swaps = op.op == AtomicOp::Cas;
        for (lane, value) in (0..).zip(values) {
            let place = if lane == 0 { address } else { self.at(address, lane * bytes) };
            let first = self.read(value, op.ty)?;
            let (new, compare) = if swaps { (self.read(&rest[2], op.ty)?, first) } else { (first, first) };
            let old = if bytes == 16 {
                access::wide(self.ir, self.function, place, new, compare, operation, meta)
            } else {
                let (new, compare) = (self.resize(new, 64, false), self.resize(compare, 64, false));
                let old = self.entry(Entry::Atomic, &[place, new, compare, code], meta);
                self.resize(old, op.ty.bits(), false)
            };
            if let Some(results) = &results {
                self.write(results[lane as usize], old, op.ty)?;
            }
        }
        Ok(())
    }

    fn cp_async(&mut self, op: &CpAsync, operands: &[Operand]) -> Result<(), Refusal> {
        let to = self.address(&operands[0], op.destination)?;
        let from = self.address(&operands[1], StateSpace::Global)?;
        let size = self.constant(&operands[2])? as u64;
        let meta = Meta::access(1).space(Space::Shared).asynchronous();
        let whole = self.int(64, size);
        let sized = operands.len() > 3 + usize::from(op.cache_hint);
        if !sized {
            self.entry(Entry::Copy, &[to, from, whole], meta);
            return Ok(());
        }
        // What the source does not fill becomes zero.
        let given = self.read(&operands[3], ScalarType::U32)?;
        let given = self.resize(given, 64, false);
        let less = self.ir.compare(LLVMIntPredicate::LLVMIntULT, given, whole);
        let given = self.ir.select(less, given, whole);
        self.entry(Entry::Copy, &[to, from, given], meta);
        let rest = self.ir.offset(to, given);
        let left = self.ir.binary(LLVMOpcode::LLVMSub, whole, given);
        self.entry(Entry::Fill, &[rest, self.int(64, 0), left], meta);
        Ok(())
    }

    fn cp_async_bulk(&mut self, op: &CpAsyncBulk, operands: &[Operand]) -> Result<(), Refusal> {
        if op.byte_mask {
            return Err(".cp_mask is not supported".to_owned());
        }
        if op.multicast {
            return Err("a cluster is one block here, so there is no multicast to its blocks".to_owned());
        }
        let to = self.address(&operands[0], op.destination)?;
        let from = self.address(&operands[1], op.source)?;
        let bytes = self.read(&operands[2], ScalarType::U32)?;
        let bytes = self.resize(bytes, 64, false);
        let space = space(op.destination).unwrap_or(Space::Generic);
        let meta = Meta::access(1).space(space).asynchronous().align(16);
        self.entry(Entry::Copy, &[to, from, bytes], meta);
        if op.completion == BulkCompletion::Mbarrier {
            let barrier = self.address(&operands[3], StateSpace::SharedCluster)?;
            self.mbarrier_call(MbarrierOp::CompleteTransaction, barrier, bytes);
        }
        Ok(())
    }

    fn cp_reduce_async_bulk(&mut self, op: &CpReduceAsyncBulk, operands: &[Operand]) -> Result<(), Refusal> {
        let operation = AtomicOp::from_ptx(op.op.ptx())
            .and_then(|wanted| operation(wanted, op.ty))
            .ok_or_else(|| format!("there is no .{} of .{}", op.op, op.ty))?;
        let to = self.address(&operands[0], op.destination)?;
        let from = self.address(&operands[1], op.source)?;
        let bytes = self.read(&operands[2], ScalarType::U32)?;
        let bytes = self.resize(bytes, 64, false);
        let meta = describe(op.destination, op.ty, None, Order::Weak)?.asynchronous();
        self.entry(Entry::CopyReduce, &[to, from, bytes, self.int(64, operation.code())], meta);
        if op.completion == BulkCompletion::Mbarrier {
            let barrier = self.address(&operands[3], StateSpace::SharedCluster)?;
            self.mbarrier_call(MbarrierOp::CompleteTransaction, barrier, bytes);
        }
        Ok(())
    }

    fn mbarrier_call(&mut self, operation: MbarrierOp, address: Value, operand: Value) -> Value {
        let code = self.int(64, operation.code());
        self.entry(Entry::Mbarrier, &[code, address, operand, self.int(64, 0)], Meta(0))
    }

    fn mbarrier(&mut self, op: &Mbarrier, operands: &[Operand]) -> Result<(), Refusal> {
        use MbarrierAction::*;
        let number = |body: &mut Self, at: usize| -> Result<Value, Refusal> {
            let value = body.read(&operands[at], ScalarType::U32)?;
            Ok(body.resize(value, 64, false))
        };
        match op.action {
            Init | ExpectTx | CompleteTx => {
                let address = self.address(&operands[0], op.space)?;
                let operand = number(self, 1)?;
                let operation = match op.action {
                    Init => MbarrierOp::Init,
                    ExpectTx => MbarrierOp::ExpectTransaction,
                    _ => MbarrierOp::CompleteTransaction,
                };
                self.mbarrier_call(operation, address, operand);
            }
            Inval => {
                let address = self.address(&operands[0], op.space)?;
                let zero = self.int(64, 0);
                self.mbarrier_call(MbarrierOp::Invalidate, address, zero);
            }
            Arrive | ArriveDrop | ArriveExpectTx | ArriveNoComplete | ArriveDropNoComplete => {
                let address = self.address(&operands[1], op.space)?;
                let operand = if operands.len() > 2 { number(self, 2)? } else { self.int(64, 1) };
                let operation = match op.action {
                    ArriveExpectTx => MbarrierOp::ArriveExpectTransaction,
                    ArriveDrop | ArriveDropNoComplete => MbarrierOp::ArriveDrop,
                    _ => MbarrierOp::Arrive,
                };
                let state = self.mbarrier_call(operation, address, operand);
                self.write(&operands[0], state, ScalarType::B64)?;
            }
            ArriveDropExpectTx => return Err("this operation on an mbarrier is not supported".to_owned()),
            PendingCount => {
                let state = self.read(&operands[1], ScalarType::B64)?;
                let null = self.ir.zero(self.ir.pointer(0));
                let count = self.mbarrier_call(MbarrierOp::PendingCount, null, state);
                let count = self.resize(count, 32, false);
                self.write(&operands[0], count, ScalarType::U32)?;
            }
            TestWait | TryWait => {
                let address = self.address(&operands[1], op.space)?;
                let (operation, operand) = if op.parity {
                    (MbarrierOp::TestParity, number(self, 2)?)
                } else {
                    (MbarrierOp::TestState, self.read(&operands[2], ScalarType::B64)?)
                };
                let over = self.mbarrier_call(operation, address, operand);
                let over = self.resize(over, 1, false);
                self.write(&operands[0], over, ScalarType::Pred)?;
            }
        }
        Ok(())
    }
}

/// The operation on this type.
pub(super) fn operation(op: AtomicOp, ty: ScalarType) -> Option<Rmw> {
    use ScalarType::*;
    Some(match (op, ty) {
        (AtomicOp::Exch, B32 | B64 | B128 | U32 | U64 | S32 | S64 | F32 | F64) => Rmw::Exchange,
        (AtomicOp::Cas, B16 | B32 | B64 | B128 | U32 | U64 | S32 | S64) => Rmw::CompareAndSwap,
        (AtomicOp::And, B32 | B64) => Rmw::And,
        (AtomicOp::Or, B32 | B64) => Rmw::Or,
        (AtomicOp::Xor, B32 | B64) => Rmw::Xor,
        (AtomicOp::Add, U32 | S32 | U64 | S64) => Rmw::Add,
        (AtomicOp::Add, F32 | F64) => Rmw::AddFloat,
        (AtomicOp::Add, F16 | F16x2) => Rmw::AddHalf,
        (AtomicOp::Add, Bf16 | Bf16x2) => Rmw::AddBfloat,
        (AtomicOp::Inc, U32) => Rmw::IncrementWrap,
        (AtomicOp::Dec, U32) => Rmw::DecrementWrap,
        (AtomicOp::Min, S32 | S64) => Rmw::MinSigned,
        (AtomicOp::Max, S32 | S64) => Rmw::MaxSigned,
        (AtomicOp::Min, U32 | U64) => Rmw::MinUnsigned,
        (AtomicOp::Max, U32 | U64) => Rmw::MaxUnsigned,
        (AtomicOp::Min, F16 | F16x2) => Rmw::MinHalf,
        (AtomicOp::Max, F16 | F16x2) => Rmw::MaxHalf,
        (AtomicOp::Min, Bf16 | Bf16x2) => Rmw::MinBfloat,
        (AtomicOp::Max, Bf16 | Bf16x2) => Rmw::MaxBfloat,
        _ => return None,
    })
}
