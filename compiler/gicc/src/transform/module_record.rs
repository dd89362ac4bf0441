//! `module_record`: what the module says of itself, as bytes under `__gicc_module_record`, so that a loader can refuse a
//! module of another version and give it the workspace that it needs.
//!
//! ```text
//! @__gicc_module_record = addrspace(1) constant [N x i8] c"gicc\00mod…", align 8
//! ```
//!
//! `collect` runs while the interface's calls are still there; `write` after the device runtime is linked.

use gicc_abi::layout::{ChannelRecord, ModuleRecord};
use gicc_abi::{ABI_VERSION, MODULE_RECORD_SYMBOL, heap, intrinsics};
use inkwell::AddressSpace;
use inkwell::module::Module;

use super::link_runtime::runtime_hash;
use crate::llvm::{Call, calls, name_of};

/// What is known of a module before the runtime is linked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Facts {
    /// Whether anything of the interface is called.
    pub(crate) communicates: bool,
    /// Whether a collective is called.
    pub(crate) collectives: bool,
    /// Whether blocks meet the blocks of other PEs, so that all of a launch must be resident.
    pub(crate) barrier: bool,
    /// The channels.
    pub(crate) channels: Vec<ChannelRecord>,
}

/// Reads the facts off the calls of the interface.
pub(crate) fn collect(module: &Module<'_>) -> Facts {
    let mut facts = Facts::default();
    for call in calls(module) {
        let name = name_of(call.callee);
        let Some(known) = intrinsics::find(&name) else { continue };
        if known.family == intrinsics::Family::Interface {
            facts.communicates = true;
        }
        // From MLIR the functions of collectives come with the module.
        let collective = name.starts_with("__gicc_all_") || name == "__gicc_epoch_get";
        facts.collectives |= collective;
        facts.barrier |= collective || matches!(name.as_str(), "__gicc_barrier_block" | "__gicc_grid_sync");
        if let Some(side) = side(&name) {
            add_channel(&mut facts.channels, &call, known, side);
        }
    }
    facts.channels.sort_by_key(|c| (c.protocol, c.slots, c.element_bytes));
    facts
}

/// Bit 0: the call puts; bit 1: it waits.
fn side(name: &str) -> Option<u32> {
    if name.starts_with("__gicc_channel_put") {
        Some(1)
    } else if name.starts_with("__gicc_channel_wait") {
        Some(2)
    } else {
        None
    }
}

/// Channels of one shape share an entry; what is no constant is 0.
fn add_channel(channels: &mut Vec<ChannelRecord>, call: &Call<'_>, known: &intrinsics::Intrinsic, side: u32) {
    let constant = |name: &str| {
        known.parameter(name).and_then(|n| call.constant(n)).and_then(|c| u32::try_from(c).ok()).unwrap_or(0)
    };
    let channel = ChannelRecord {
        protocol: constant("protocol"),
        slots: constant("slots"),
        element_bytes: constant("element"),
        sides: side,
        name_hash: 0,
    };
    match channels.iter_mut().find(|c| ChannelRecord { sides: channel.sides, ..**c } == channel) {
        Some(same) => same.sides |= side,
        None => channels.push(channel),
    }
}

/// Writes the record into the module.
pub(crate) fn write(module: &Module<'_>, facts: &Facts) {
    let count = u32::try_from(facts.channels.len()).expect("a module has fewer channels than 2^32");
    let bytes = size_of::<ModuleRecord>() + facts.channels.len() * size_of::<ChannelRecord>();
    let record = ModuleRecord {
        magic: ModuleRecord::MAGIC,
        abi_version: ABI_VERSION,
        record_bytes: u32::try_from(bytes).expect("a record is small"),
        runtime_hash: runtime_hash(),
        workspace_bytes: heap::WORKSPACE_BYTES,
        region_bytes: if facts.collectives { heap::REGION_BYTES } else { 0 },
        error_words: 1,
        channels: count,
        max_barrier_blocks: if facts.barrier { heap::MAX_BARRIER_BLOCKS } else { 0 },
        co_resident: facts.barrier.into(),
    };
    let mut image = record.to_bytes();
    for channel in &facts.channels {
        image.extend(channel.to_bytes());
    }
    let context = module.get_context();
    let value = context.const_string(&image, false);
    let global = module.add_global(value.get_type(), Some(AddressSpace::from(1u16)), MODULE_RECORD_SYMBOL);
    global.set_initializer(&value);
    global.set_constant(true);
    global.set_alignment(8);
}
