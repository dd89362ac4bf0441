//! What traced kernels did becomes a program of the memory model.
//!
//! Every access to global memory must lie in a named range; what only one thread touches is named as such. Nothing is left
//! out silently.

use std::collections::{BTreeMap, BTreeSet};

use gicc_abi::heap;
use memory_model as mm;
use ptx::meaning::AccessKind;
use ptx::op::AtomicOp;
use ptx::trace::{ConcreteMemory, Event, EventKind, Launch, ThreadTrace, run};

/// The segments of all PEs begin here.
pub(crate) const BASE: u64 = 0x100_0000;
/// Their size and distance.
pub(crate) const STRIDE: u64 = 0x40_0000;
/// The workspace of PE 0.
pub(crate) const WORKSPACE: u64 = BASE + 0x10_0000;
/// Private memory, with the error words of all PEs and the sources.
pub(crate) const PRIVATE: u64 = 0x900_0000;

/// One block of a kernel on a PE.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    /// The kernel.
    pub(crate) entry: &'static str,
    /// The PE.
    pub(crate) pe: i32,
    /// The PEs of its team.
    pub(crate) pes: u32,
    /// The block's index, and the blocks of the grid.
    pub(crate) index: [u32; 2],
    /// Threads that run; the block is as large.
    pub(crate) threads: u32,
    /// Threads of the block, of which only `threads` are looked at.
    pub(crate) size: u32,
    /// Addresses that are the parameters.
    pub(crate) parameters: Vec<u64>,
    /// Addresses of signals that are polled, with the values that end the polls, one after the other.
    pub(crate) polls: Vec<(u64, Vec<u128>)>,
    /// Addresses of packets that are polled, with what each look at them finds. A look that ends no poll is no part of the
    /// program. Of one that does, a word with a later flag, which is in the high half, came too early: the model's poll accepts
    /// it, so that it shows as a wrong value.
    pub(crate) packets: BTreeMap<u64, Vec<Look>>,
}

/// One look at a packet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Look {
    /// The word that is there.
    word: u128,
    /// Whether it is the one that the poll waits for.
    ends: bool,
}

impl Block {
    /// A block of two threads, the only one of its grid.
    pub(crate) fn new(entry: &'static str, pe: i32, parameters: &[u64]) -> Block {
        Block {
            entry,
            pe,
            pes: 2,
            index: [0, 1],
            threads: 2,
            size: 2,
            parameters: parameters.to_vec(),
            polls: Vec::new(),
            packets: BTreeMap::new(),
        }
    }

    /// The same in a team of so many PEs.
    pub(crate) fn team(mut self, pes: u32) -> Block {
        self.pes = pes;
        self
    }

    /// The same with polls that end when `address` holds one after the other of `values`.
    pub(crate) fn polls<const N: usize>(mut self, address: u64, values: [u128; N]) -> Block {
        self.polls.push((address, values.to_vec()));
        self
    }

    /// The same with a poll of a packet, which finds its word at once.
    pub(crate) fn packet(mut self, address: u64, word: u128) -> Block {
        self.packets.entry(address).or_default().push(Look { word, ends: true });
        self
    }

    /// The same with a poll of a packet, which first finds what was there before: the word that ended the poll before this
    /// one, or nothing.
    pub(crate) fn late_packet(mut self, address: u64, word: u128) -> Block {
        let looks = self.packets.entry(address).or_default();
        let before = looks.last().map_or(0, |look| look.word);
        looks.extend([Look { word: before, ends: false }, Look { word, ends: true }]);
        self
    }

    /// The same with one thread.
    pub(crate) fn alone(mut self) -> Block {
        (self.threads, self.size) = (1, 1);
        self
    }

    /// The same with a whole warp, of which two threads are looked at.
    pub(crate) fn warp(mut self) -> Block {
        self.size = 32;
        self
    }
}

/// A range of addresses and what it is.
pub(crate) struct Range {
    /// First address.
    pub(crate) start: u64,
    /// Bytes.
    pub(crate) bytes: u64,
    /// The location's name; `None` for memory that only its own thread touches, or that nobody writes.
    pub(crate) name: Option<&'static str>,
}

/// A memory-model program, and the bad outcome: a load that did not return what the trace saw.
pub(crate) struct Extracted {
    /// The program.
    pub(crate) program: mm::Program,
    /// Loads of data, with the value each must return.
    pub(crate) loads: Vec<(String, String, u128)>,
    /// The spans of the instructions that made events.
    pub(crate) executed: Vec<ptx::Span>,
    /// Looks at packets so far.
    looks: BTreeMap<u64, usize>,
}

impl Extracted {
    /// Some load returned something else.
    pub(crate) fn stale(&self) -> mm::Condition {
        self.loads
            .iter()
            .map(|(thread, register, value)| mm::Condition::register(thread, register, *value).not())
            .reduce(mm::Condition::or)
            .expect("the waiting side reads something")
    }
}

fn state(pe: i32, pes: u32) -> Vec<u8> {
    gicc_abi::layout::State {
        abi_version: gicc_abi::ABI_VERSION,
        my_pe: pe,
        n_pes: pes as i32,
        flags: 0,
        heap_base: BASE,
        heap_stride: STRIDE,
        heap_bytes: STRIDE,
        workspace_offset: WORKSPACE - BASE,
        workspace_bytes: heap::WORKSPACE_BYTES + heap::packet_bytes(pes, 1),
        error: PRIVATE + 0x1000 * (1 + pe as u64),
        timeout_ns: u64::MAX,
    }
    .to_bytes()
}

/// Traces the blocks one after the other over one memory and makes a program of them. `source` is what the PEs send.
pub(crate) fn extract(text: &str, blocks: &[Block], ranges: &[Range], source: &[u8]) -> Result<Extracted, String> {
    let module = ptx::parse_module(text).map_err(|e| e.to_string())?;
    program(&module, blocks, ranges, &mut memory(source, segments(blocks)))
}

/// The same where a block reads what a later one writes: what is traced is a second run, over the memory that a first one
/// left, but for the workspace.
pub(crate) fn extract_settled(
    text: &str,
    blocks: &[Block],
    ranges: &[Range],
    source: &[u8],
) -> Result<Extracted, String> {
    let module = ptx::parse_module(text).map_err(|e| e.to_string())?;
    let mut first = memory(source, segments(blocks));
    program(&module, blocks, ranges, &mut first)?;
    let mut segments = segments(blocks);
    let bytes = segments.len();
    segments.copy_from_slice(first.bytes(BASE, bytes).expect("the segments are there"));
    let pes = (bytes / STRIDE as usize) as u32;
    let workspace = (heap::WORKSPACE_BYTES + heap::packet_bytes(pes, 1) + heap::PART_BYTES * u64::from(pes)) as usize;
    for segment in segments.chunks_mut(STRIDE as usize) {
        let from = (WORKSPACE - BASE) as usize;
        segment[from..from + workspace].fill(0);
    }
    program(&module, blocks, ranges, &mut memory(source, segments))
}

/// The segments of all PEs, empty.
fn segments(blocks: &[Block]) -> Vec<u8> {
    let pes = blocks.iter().map(|b| b.pes).max().unwrap_or(0);
    vec![0; pes as usize * STRIDE as usize]
}

fn memory(source: &[u8], segments: Vec<u8>) -> ConcreteMemory {
    let mut memory = ConcreteMemory::new();
    memory.region(BASE, segments);
    let mut private = vec![0; 0x40000];
    private[..source.len()].copy_from_slice(source);
    memory.region(PRIVATE, private);
    memory
}

fn program(
    module: &ptx::Module,
    blocks: &[Block],
    ranges: &[Range],
    memory: &mut ConcreteMemory,
) -> Result<Extracted, String> {
    let mut out =
        Extracted { program: mm::Program::new(), loads: Vec::new(), executed: Vec::new(), looks: BTreeMap::new() };
    for block in blocks {
        let mut launch = Launch::new(module, block.entry).block(block.size, 1, 1).only(0..block.threads);
        launch.grid = [block.index[1], 1, 1];
        launch.block_index = [block.index[0], 0, 0];
        launch.constants.insert(gicc_abi::STATE_SYMBOL.into(), state(block.pe, block.pes));
        for parameter in &block.parameters {
            launch = launch.parameter(parameter.to_le_bytes());
        }
        for (address, values) in &block.polls {
            memory.force(*address, values.clone());
        }
        for (address, looks) in &block.packets {
            memory.force(*address, looks.iter().map(|look| look.word));
            memory.force(*address + 8, looks.iter().map(|look| look.word >> 64));
        }
        let traces = run(&launch, memory).map_err(|e| format!("{}: {e}", block.entry))?;
        for (address, _) in &block.polls {
            // A forced value must not outlive the poll: what follows reads what was written.
            memory.force(*address, []);
        }
        for address in block.packets.keys() {
            memory.force(*address, []);
            memory.force(*address + 8, []);
        }
        for trace in traces {
            add_thread(&mut out, block, &trace, ranges)?;
        }
        for (address, looks) in &block.packets {
            let (wanted, made) = (looks.len(), out.looks.get(address).copied().unwrap_or(0));
            if made != wanted {
                return Err(format!(
                    "{} ends a poll of the packet at {address:#x} after {made} looks: there are {wanted}",
                    block.entry
                ));
            }
        }
    }
    Ok(out)
}

fn add_thread(out: &mut Extracted, block: &Block, trace: &ThreadTrace, ranges: &[Range]) -> Result<(), String> {
    let name = format!("pe{}b{}t{}", block.pe, block.index[0], trace.thread);
    let place = mm::Place::block(block.pe as u32, block.index[0]);
    let used: BTreeSet<usize> = trace.events.iter().flat_map(|e| &e.depends_on).copied().collect();
    let mut votes = 0;
    // The registers that hold what each event returned.
    let mut registers: BTreeMap<usize, Vec<mm::Register>> = BTreeMap::new();
    out.program.thread(&name, place);
    for (number, event) in trace.events.iter().enumerate() {
        out.executed.push(event.span);
        if matches!(event.kind, EventKind::Warp { orders: false, .. }) && event.opcode.starts_with("vote.sync") {
            votes += 1;
            if used.contains(&number) {
                vote(out, block, (trace.thread, votes), (number, event), &mut registers);
                continue;
            }
        }
        let op = operation(out, &name, block, (number, event), ranges, &mut registers)?;
        let id = out.program.find_thread(&name).expect("the thread was added");
        for op in op {
            out.program.resume(id).op_with_text(op, &event.opcode);
        }
    }
    Ok(())
}

/// A vote of the warp whose result is used: the lanes tell each other a value that was computed from their predicates, and no
/// memory is ordered. Each lane's value is a location that it writes and that the others read before they go on, without order:
/// what depends on the result depends on all predicates, as for a reduction of the block (`reduction-carries-dependency`).
fn vote(
    out: &mut Extracted,
    block: &Block,
    (lane, votes): (u32, u32),
    (number, event): (usize, &Event),
    registers: &mut BTreeMap<usize, Vec<mm::Register>>,
) {
    let from: Vec<mm::Register> = event.depends_on.iter().filter_map(|n| registers.get(n)).flatten().cloned().collect();
    let name = format!("votes@{}.{}", block.pe, block.index[0]);
    let place = mm::Place::block(block.pe as u32, block.index[0]);
    let known = out.program.find_location(&name);
    let location = known.unwrap_or_else(|| out.program.shared(name, place));
    let access = |lane: u32, depends_on: Vec<mm::Register>| mm::Access {
        address: mm::Address { location, offset: u64::from(4 * (votes * block.threads + lane)) },
        width: 4,
        count: 1,
        semantics: mm::Semantics::Relaxed,
        scope: mm::Scope::Cta,
        proxy: mm::Proxy::Generic,
        depends_on,
    };
    let thread = format!("pe{}b{}t{lane}", block.pe, block.index[0]);
    let id = out.program.find_thread(&thread).expect("the thread was added");
    let own = mm::Op::Store { access: access(lane, from.clone()), values: vec![mm::Operand::Constant(1)] };
    out.program.resume(id).op_with_text(own, &event.opcode);
    let mut result = from;
    for other in (0..block.threads).filter(|other| *other != lane) {
        let register = mm::Register(format!("r{number}_{other}"));
        let until = mm::Until { comparison: mm::Comparison::Eq, value: 1 };
        let read =
            mm::Op::Load { registers: vec![register.clone()], access: access(other, Vec::new()), until: Some(until) };
        out.program.resume(id).op_with_text(read, &event.opcode);
        result.push(register);
    }
    registers.insert(number, result);
}

fn operation(
    out: &mut Extracted,
    thread: &str,
    block: &Block,
    (number, event): (usize, &Event),
    ranges: &[Range],
    registers: &mut BTreeMap<usize, Vec<mm::Register>>,
) -> Result<Vec<mm::Op>, String> {
    let depends_on: Vec<mm::Register> =
        event.depends_on.iter().filter_map(|n| registers.get(n)).flatten().cloned().collect();
    let register = |n: usize| mm::Register(format!("r{number}_{n}"));
    Ok(match &event.kind {
        EventKind::Fence { semantics, scope, restrict: None } => {
            vec![mm::Op::Fence { semantics: *semantics, scope: *scope }]
        }
        EventKind::Barrier { action: ptx::op::BarrierAction::Red, id, .. } => {
            registers.insert(number, vec![register(0)]);
            vec![mm::Op::BarrierReduction { id: *id, predicate: depends_on, result: Some(register(0)) }]
        }
        EventKind::Barrier { action, id, .. } => {
            let action = match action {
                ptx::op::BarrierAction::Arrive => mm::BarrierAction::Arrive,
                _ => mm::BarrierAction::Sync,
            };
            vec![mm::Op::Barrier { id: *id, action, level: mm::BarrierLevel::Cta, participants: None }]
        }
        // Threads of one warp meet; the model knows barriers of blocks, so the warp is a barrier of its own number.
        EventKind::Warp { orders: true, .. } => vec![mm::Op::Barrier {
            id: 1000,
            action: mm::BarrierAction::Sync,
            level: mm::BarrierLevel::Cta,
            participants: None,
        }],
        EventKind::Warp { orders: false, .. } => Vec::new(),
        // No kernel writes constant memory.
        EventKind::Access { place, .. } if place.space == ptx::StateSpace::Const => Vec::new(),
        EventKind::Access { access, place, read, written } => {
            let found = match place.space {
                ptx::StateSpace::Shared => Some(shared(out, block, place.address)),
                _ => location(out, place.address, ranges)?,
            };
            let Some((location, offset)) = found else { return Ok(Vec::new()) };
            // A forced load ended its poll with what it read.
            let is_polled = block.polls.iter().any(|(address, _)| *address == place.address);
            let polled = if is_polled { read.first().copied() } else { None };
            let new_access = || mm::Access {
                address: mm::Address { location, offset },
                width: access.width as u8,
                count: access.count as u8,
                semantics: access.semantics,
                scope: access.scope.unwrap_or(mm::Scope::Sys),
                proxy: access.proxy,
                depends_on: depends_on.clone(),
            };
            match access.kind {
                AccessKind::Load => {
                    let names: Vec<_> = (0..access.count as usize).map(register).collect();
                    registers.insert(number, names.clone());
                    if let Some(looks) = block.packets.get(&place.address) {
                        let number = out.looks.entry(place.address).or_default();
                        *number += 1;
                        let Some(Look { word, ends }) = looks.get(*number - 1).copied() else { return Ok(Vec::new()) };
                        if !ends {
                            return Ok(Vec::new());
                        }
                        let seen = names.iter().zip(read).map(|(r, v)| (thread.to_owned(), r.0.clone(), *v));
                        out.loads.extend(seen);
                        // The flag is in the high half of the word, or in the second of the two words that it has become.
                        let high = word >> 64;
                        // What a flag of 32 bits stands above is data.
                        let flag = if high >> 32 == 0 { high } else { high >> 32 << 32 };
                        let flag = flag << if access.width == 16 { 64 } else { 0 };
                        let until = mm::Until { comparison: mm::Comparison::Ge, value: flag };
                        let last = names.last().expect("a load has a result").clone();
                        return Ok(vec![
                            mm::Op::Load { registers: names, access: new_access(), until: None },
                            mm::Op::Assume { register: last, until },
                        ]);
                    }
                    let until = polled.map(|value| mm::Until { comparison: mm::Comparison::Eq, value });
                    if until.is_none() {
                        let seen = names.iter().zip(read).map(|(r, v)| (thread.to_owned(), r.0.clone(), *v));
                        out.loads.extend(seen);
                    }
                    vec![mm::Op::Load { registers: names, access: new_access(), until }]
                }
                AccessKind::Store => {
                    let values = written.iter().map(|v| mm::Operand::Constant(*v)).collect();
                    vec![mm::Op::Store { access: new_access(), values }]
                }
                AccessKind::ReadModifyWrite { op: AtomicOp::Add, returns: false } => vec![mm::Op::Rmw {
                    returns: false,
                    register: None,
                    access: new_access(),
                    function: mm::RmwFunction::Add(mm::Operand::Constant(written[0])),
                }],
                // The path was taken because of the value that was counted, so that value is part of the execution.
                AccessKind::ReadModifyWrite { op: AtomicOp::Inc, returns: true } => {
                    registers.insert(number, vec![register(0)]);
                    vec![
                        mm::Op::Rmw {
                            returns: true,
                            register: Some(register(0)),
                            access: new_access(),
                            function: mm::RmwFunction::CompareAndSwap {
                                expected: mm::Operand::Constant(read[0]),
                                desired: mm::Operand::Constant(written[0]),
                            },
                        },
                        mm::Op::Assume {
                            register: register(0),
                            until: mm::Until { comparison: mm::Comparison::Eq, value: read[0] },
                        },
                    ]
                }
                ref other => return Err(format!("{thread}: the proof does not know {other:?}")),
            }
        }
        other => return Err(format!("{thread}: the proof does not know {other:?}")),
    })
}

/// The shared memory of a block is one location.
fn shared(out: &mut Extracted, block: &Block, address: u64) -> (mm::LocationId, u64) {
    let name = format!("shared@{}.{}", block.pe, block.index[0]);
    let place = mm::Place::block(block.pe as u32, block.index[0]);
    let known = out.program.find_location(&name);
    (known.unwrap_or_else(|| out.program.shared(name, place)), address)
}

/// The location of an address: `name@pe` in the segments; nothing for private memory.
fn location(out: &mut Extracted, address: u64, ranges: &[Range]) -> Result<Option<(mm::LocationId, u64)>, String> {
    let (pe, local) = if (BASE..PRIVATE).contains(&address) {
        ((address - BASE) / STRIDE, (address - BASE) % STRIDE + BASE)
    } else {
        (0, address)
    };
    let range = ranges
        .iter()
        .find(|r| (r.start..r.start + r.bytes).contains(&local))
        .ok_or_else(|| format!("an access to {address:#x}, which has no name"))?;
    Ok(range.name.map(|name| (out.program.symbol(&format!("{name}@{pe}")), local - range.start)))
}
