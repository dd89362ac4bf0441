//! Building programs by hand: locations, threads, and their operations one after the other.

use crate::program::{
    Access, Address, BarrierAction, BarrierLevel, Comparison, InitialValue, Location, LocationId, Op, Operand, Place,
    Program, ProxyFence, Register, RmwFunction, Space, Step, Thread, ThreadId, Until,
};
use crate::{Proxy, Scope, Semantics};

impl Program {
    /// An empty program.
    pub fn new() -> Self {
        Program::default()
    }

    /// Adds a location in global memory.
    pub fn global(&mut self, name: impl Into<String>) -> LocationId {
        self.location(name, Space::Global, None)
    }

    /// The location of this name, which is added to global memory where there is none yet: for programs that are made
    /// from the symbols of extracted events.
    pub fn symbol(&mut self, name: &str) -> LocationId {
        self.find_location(name).unwrap_or_else(|| self.global(name))
    }

    /// Adds a location in the shared memory of the block at `place`.
    pub fn shared(&mut self, name: impl Into<String>, place: Place) -> LocationId {
        self.location(name, Space::Shared(place), None)
    }

    /// Adds another virtual address of a location.
    pub fn alias(&mut self, name: impl Into<String>, of: LocationId) -> LocationId {
        let space = self.locations.get(of.0).map_or(Space::Global, |location| location.space);
        self.location(name, space, Some(of))
    }

    /// Says what a location holds at the start; the default is zero.
    pub fn initial(&mut self, location: LocationId, offset: u64, width: u8, value: u128) {
        if let Some(location) = self.locations.get_mut(location.0) {
            location.initial.push(InitialValue { offset, width, value });
        }
    }

    /// The location of this name.
    pub fn find_location(&self, name: &str) -> Option<LocationId> {
        self.locations.iter().position(|location| location.name == name).map(LocationId)
    }

    /// The thread of this name.
    pub fn find_thread(&self, name: &str) -> Option<ThreadId> {
        self.threads.iter().position(|thread| thread.name == name).map(ThreadId)
    }

    /// Adds a thread and returns a builder for its operations.
    pub fn thread(&mut self, name: impl Into<String>, place: Place) -> ThreadBuilder<'_> {
        self.threads.push(Thread { name: name.into(), place, steps: Vec::new() });
        let id = ThreadId(self.threads.len() - 1);
        ThreadBuilder { program: self, id }
    }

    /// Goes on with a thread that exists.
    ///
    /// # Panics
    /// If the program has no such thread.
    pub fn resume(&mut self, id: ThreadId) -> ThreadBuilder<'_> {
        assert!(id.0 < self.threads.len(), "the program has no thread number {}", id.0);
        ThreadBuilder { program: self, id }
    }

    /// Says that `first` ends before `second` starts (kernel boundary, stream order, host).
    pub fn order(&mut self, first: ThreadId, second: ThreadId) {
        self.orders.push((first, second));
    }

    fn location(&mut self, name: impl Into<String>, space: Space, alias_of: Option<LocationId>) -> LocationId {
        self.locations.push(Location { name: name.into(), space, alias_of, initial: Vec::new() });
        LocationId(self.locations.len() - 1)
    }
}

/// Adds operations to one thread, in program order.
#[derive(Debug)]
pub struct ThreadBuilder<'a> {
    program: &'a mut Program,
    id: ThreadId,
}

impl ThreadBuilder<'_> {
    /// The thread, for [`Program::order`] and [`Program::resume`].
    pub fn id(&self) -> ThreadId {
        self.id
    }

    /// Adds any operation.
    pub fn op(&mut self, op: Op) -> &mut Self {
        self.push(op, None)
    }

    /// Adds any operation, with the text that a witness shows for it.
    pub fn op_with_text(&mut self, op: Op, text: impl Into<String>) -> &mut Self {
        self.push(op, Some(text.into()))
    }

    /// A load of one element.
    pub fn load(&mut self, register: &str, access: Access) -> &mut Self {
        self.load_vector(&[register], access)
    }

    /// A load of several elements.
    pub fn load_vector(&mut self, registers: &[&str], access: Access) -> &mut Self {
        self.op(Op::Load {
            registers: registers.iter().map(|name| Register::from(*name)).collect(),
            access,
            until: None,
        })
    }

    /// A spin that ended with `value`.
    pub fn poll(&mut self, register: &str, access: Access, value: u128) -> &mut Self {
        self.poll_until(register, access, Comparison::Eq, value)
    }

    /// A spin that ended with a value for which the comparison holds.
    pub fn poll_until(&mut self, register: &str, access: Access, comparison: Comparison, value: u128) -> &mut Self {
        self.op(Op::Load { registers: vec![register.into()], access, until: Some(Until { comparison, value }) })
    }

    /// A store of one element.
    pub fn store(&mut self, access: Access, value: impl Into<Operand>) -> &mut Self {
        self.op(Op::Store { access, values: vec![value.into()] })
    }

    /// A store of several elements.
    pub fn store_vector(&mut self, access: Access, values: Vec<Operand>) -> &mut Self {
        self.op(Op::Store { access, values })
    }

    /// `atom`.
    pub fn atom(&mut self, register: &str, access: Access, function: RmwFunction) -> &mut Self {
        self.op(Op::Rmw { returns: true, register: Some(register.into()), access, function })
    }

    /// `red`.
    pub fn red(&mut self, access: Access, function: RmwFunction) -> &mut Self {
        self.op(Op::Rmw { returns: false, register: None, access, function })
    }

    /// A memory fence.
    pub fn fence(&mut self, semantics: Semantics, scope: Scope) -> &mut Self {
        self.op(Op::Fence { semantics, scope })
    }

    /// A proxy fence.
    pub fn proxy_fence(&mut self, fence: ProxyFence) -> &mut Self {
        self.op(Op::ProxyFence(fence))
    }

    /// `bar.sync id`.
    pub fn barrier(&mut self, id: u32) -> &mut Self {
        self.op(Op::Barrier { id, action: BarrierAction::Sync, level: BarrierLevel::Cta, participants: None })
    }

    /// `bar.arrive id`.
    pub fn arrive(&mut self, id: u32) -> &mut Self {
        self.op(Op::Barrier { id, action: BarrierAction::Arrive, level: BarrierLevel::Cta, participants: None })
    }

    /// `bar.red result, id, predicate`, where the predicate was computed from these registers.
    pub fn reduce(&mut self, result: &str, id: u32, predicate: &[&str]) -> &mut Self {
        let predicate = predicate.iter().map(|name| Register::from(*name)).collect();
        self.op(Op::BarrierReduction { id, predicate, result: Some(result.into()) })
    }

    /// `cp.async.bulk`.
    pub fn bulk_copy(&mut self, destination: LocationId, source: LocationId, bytes: u32) -> &mut Self {
        self.op(Op::BulkCopy {
            destination: Address { location: destination, offset: 0 },
            source: Address { location: source, offset: 0 },
            bytes,
        })
    }

    /// `cp.async.bulk.commit_group`.
    pub fn bulk_commit(&mut self) -> &mut Self {
        self.op(Op::BulkCommit)
    }

    /// `cp.async.bulk.wait_group pending`.
    pub fn bulk_wait(&mut self, pending: u32) -> &mut Self {
        self.op(Op::BulkWait { pending, read_only: false })
    }

    /// `cp.async.bulk.wait_group.read pending`.
    pub fn bulk_wait_read(&mut self, pending: u32) -> &mut Self {
        self.op(Op::BulkWait { pending, read_only: true })
    }

    /// A control dependency of what follows on a register.
    pub fn branch(&mut self, register: &str) -> &mut Self {
        self.op(Op::Branch(register.into()))
    }

    fn push(&mut self, op: Op, text: Option<String>) -> &mut Self {
        self.program.threads[self.id.0].steps.push(Step { op, text });
        self
    }
}

impl Access {
    /// A weak scalar access at offset 0.
    pub fn weak(location: LocationId, width: u8) -> Self {
        Access::strong(Semantics::Weak, Scope::Cta, location, width)
    }

    /// A scalar access at offset 0 with semantics and scope.
    pub fn strong(semantics: Semantics, scope: Scope, location: LocationId, width: u8) -> Self {
        let address = Address { location, offset: 0 };
        Access { address, width, count: 1, semantics, scope, proxy: Proxy::Generic, depends_on: Vec::new() }
    }

    /// The same at another offset.
    pub fn at(mut self, offset: u64) -> Self {
        self.address.offset = offset;
        self
    }

    /// The same for a vector of `count` elements.
    pub fn vector(mut self, count: u8) -> Self {
        self.count = count;
        self
    }

    /// The same through another proxy (`ld.global.nc` is [`Proxy::Texture`]).
    pub fn through(mut self, proxy: Proxy) -> Self {
        self.proxy = proxy;
        self
    }

    /// The same with an address that was computed from a register.
    pub fn depending_on(mut self, register: impl Into<Register>) -> Self {
        self.depends_on.push(register.into());
        self
    }
}

impl From<&str> for Register {
    fn from(name: &str) -> Self {
        Register(name.to_owned())
    }
}

impl From<String> for Register {
    fn from(name: String) -> Self {
        Register(name)
    }
}

impl From<u128> for Operand {
    fn from(value: u128) -> Self {
        Operand::Constant(value)
    }
}

impl From<u64> for Operand {
    fn from(value: u64) -> Self {
        Operand::Constant(value.into())
    }
}

impl From<u32> for Operand {
    fn from(value: u32) -> Self {
        Operand::Constant(value.into())
    }
}

impl From<i32> for Operand {
    /// Negative values are sign-extended and cut to the width of the access.
    fn from(value: i32) -> Self {
        Operand::Constant(i128::from(value) as u128)
    }
}

impl From<&str> for Operand {
    fn from(register: &str) -> Self {
        Operand::Register(register.into())
    }
}
