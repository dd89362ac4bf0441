//! A small concrete executor: what a block of a kernel does to memory and order, read off its text.
//!
//! Threads are run in turns, each a number of instructions at a time, over one concrete memory; barriers and warp
//! instructions are resolved between them. The result is each thread's events in program order. One execution is one
//! path: values are what the memory gives, and other interleavings are for the memory model to enumerate.
//!
//! Limits: one block; no tensor copies, textures, matrix instructions or half precision; approximate floating point is
//! refused; shared and local memory begin as zeros; parameters and local memory make no events. What cannot be executed
//! is an error that names it.

mod alu;
mod collective;
mod copies;
mod error;
mod event;
mod execute;
mod flat;
mod launch;
mod layout;
mod machine;
mod memory;

pub use error::{TraceError, TraceErrorKind};
pub use event::{End, Event, EventKind, ThreadTrace};
pub use launch::Launch;
pub use layout::GlobalVariable;
pub use memory::{
    CONST_BASE, ConcreteMemory, FUNCTION_BASE, GLOBAL_BASE, LOCAL_BASE, Memory, MemoryFault, PARAM_BASE, Place,
    Request, SHARED_BASE, WINDOW,
};

use machine::{Block, State};

/// Instructions that a thread executes before the next one's turn.
const SLICE: u32 = 64;

/// Executes a block and returns what its threads did, in the order of their indices in the launch.
///
/// ```
/// use ptx::trace::{ConcreteMemory, Launch, run};
/// let module = ptx::parse_module(
///     ".version 8.8 .target sm_90 .address_size 64
///      .visible .entry set(.param .u64 p) {
///          .reg .b64 %rd<2>;
///          ld.param.u64 %rd1, [p];
///          st.release.sys.global.u32 [%rd1], 1;
///          ret;
///      }",
/// )?;
/// let mut memory = ConcreteMemory::new();
/// memory.region(0x1000, [0; 4]);
/// let launch = Launch::new(&module, "set").parameter(0x1000u64.to_le_bytes());
/// let threads = run(&launch, &mut memory)?;
/// let (access, place) = threads[0].events[0].access().ok_or("no access")?;
/// assert_eq!((place.address, access.semantics), (0x1000, ptx::Semantics::Release));
/// assert_eq!(memory.bytes(0x1000, 4), Some(&[1, 0, 0, 0][..]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn run(launch: &Launch<'_>, memory: &mut dyn Memory) -> Result<Vec<ThreadTrace>, TraceError> {
    let mut block = Block::new(launch, memory)?;
    loop {
        let mut progress = false;
        for t in 0..block.threads.len() {
            for _ in 0..SLICE {
                if block.threads[t].state != State::Running {
                    break;
                }
                progress = true;
                block.step(t).map_err(|kind| at_thread(&block, t, kind))?;
            }
        }
        progress |= block.resolve().map_err(|(t, kind)| at_thread(&block, t, kind))?;
        if block.threads.iter().all(|thread| matches!(thread.state, State::Done(_))) {
            break;
        }
        if !progress && !block.complete_for_absent().map_err(|(t, kind)| at_thread(&block, t, kind))? {
            return Err(deadlock(&block));
        }
    }
    Ok(block
        .threads
        .into_iter()
        .map(|thread| ThreadTrace {
            thread: thread.index,
            events: thread.events,
            end: if thread.state == State::Done(End::Trapped) { End::Trapped } else { End::Exited },
            steps: thread.steps,
        })
        .collect())
}

fn at_thread(block: &Block<'_, '_>, t: usize, kind: TraceErrorKind) -> TraceError {
    TraceError { kind, span: block.threads[t].span, thread: block.threads[t].index }
}

fn deadlock(block: &Block<'_, '_>) -> TraceError {
    let mut waiting: Vec<(u32, crate::Span, String)> = Vec::new();
    for thread in &block.threads {
        let what = match &thread.state {
            State::Barrier(id) => format!("waits at barrier {id}"),
            State::Cluster(_) => "waits at the cluster barrier".to_owned(),
            State::Warp(wait) => format!("waits at {} for lanes {:#x}", wait.op.spelling(), wait.mask.unwrap_or(0)),
            State::Running | State::Done(_) => continue,
        };
        waiting.push((thread.index, thread.span, what));
    }
    let (thread, span) = waiting.first().map_or((0, crate::Span::default()), |(thread, span, _)| (*thread, *span));
    let described: Vec<String> = waiting
        .iter()
        .take(8)
        .map(|(thread, span, what)| format!("thread {thread} {what} (line {})", span.line))
        .collect();
    TraceError { kind: TraceErrorKind::Deadlock(described.join("; ")), span, thread }
}
