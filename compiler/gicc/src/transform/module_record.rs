//! `module_record`: what the module says of itself, as bytes under `__gicc_module_record`, so that a loader can refuse a
//! module of another version and give it the workspace that it needs.
//!
//! ```text
//! @__gicc_module_record = addrspace(1) constant [N x i8] c"gicc\00mod…", align 8
//! ```
//!
//! `collect` runs while the interface's calls are still there; `write` after the device runtime is linked.

use gicc_abi::codes::Protocol;
use gicc_abi::layout::{ChannelRecord, DomainRecord, ModuleRecord};
use gicc_abi::{ABI_VERSION, MODULE_RECORD_SYMBOL, heap, intrinsics};
use inkwell::AddressSpace;
use inkwell::module::Module;
use inkwell::values::{AsValueRef as _, BasicValueEnum, GlobalValue};

use super::link_runtime::runtime_hash;
use crate::analysis::annotation::DomainNote;
use crate::diagnostic::{Diagnostic, Span, codes};
use crate::llvm::{Call, calls, name_of, span, stored, strip_casts};

/// What is known of a module before the runtime is linked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Facts {
    /// Whether anything of the interface is called.
    pub(crate) communicates: bool,
    /// Whether a collective is called.
    pub(crate) collectives: bool,
    /// Whether a collective of a part of the PEs is.
    pub(crate) parts: bool,
    /// Whether blocks meet the blocks of other PEs, so that all of a launch must be resident.
    pub(crate) barrier: bool,
    /// The channels.
    pub(crate) channels: Vec<Channel>,
    /// The domains that are declared: each once, in the order of their numbers.
    pub(crate) domains: Vec<DomainNote>,
}

/// A channel of the module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Channel {
    /// Its shape and sides.
    record: ChannelRecord,
    /// Its name, where it has one.
    name: String,
    /// Where it is used first.
    place: Option<Span>,
}

/// Reads the facts off the calls of the interface. `domains` are declared, and agree.
///
/// # Errors
/// Where two ends of one channel, known by its name, differ in shape: they would not understand each other.
pub(crate) fn collect(module: &Module<'_>, mut domains: Vec<DomainNote>) -> Result<Facts, Vec<Diagnostic>> {
    domains.sort_by_key(|d| d.number);
    domains.dedup_by_key(|d| d.number);
    let mut facts = Facts { domains, ..Facts::default() };
    let mut errors = Vec::new();
    for call in calls(module) {
        let name = name_of(call.callee);
        let Some(known) = intrinsics::find(&name) else { continue };
        if known.family == intrinsics::Family::Interface {
            facts.communicates = true;
        }
        // MLIR's collectives are calls of functions of level H here, with these beside them.
        let of_part = |operation: &str| name.strip_prefix(operation).is_some_and(|rest| rest.contains("_part_"));
        let part = ["__gicc_all_", "__gicc_barrier"].into_iter().any(of_part) || name == "__gicc_part_over";
        let collective = name.starts_with("__gicc_all_") || name == "__gicc_epoch_get" || part;
        facts.collectives |= collective;
        facts.parts |= part;
        facts.barrier |= collective || matches!(name.as_str(), "__gicc_barrier_block" | "__gicc_grid_sync");
        if let Some(side) = side(&name) {
            errors.extend(add_channel(&mut facts.channels, &call, known, side));
        }
    }
    facts.channels.sort_by(|a, b| {
        let key = |c: &Channel| (c.record.protocol, c.record.slots, c.record.element_bytes, c.record.capacity);
        (&a.name, key(a)).cmp(&(&b.name, key(b)))
    });
    if errors.is_empty() { Ok(facts) } else { Err(errors) }
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

/// Channels of one name and shape share an entry; what is no constant is 0.
fn add_channel(
    channels: &mut Vec<Channel>,
    call: &Call<'_>,
    known: &intrinsics::Intrinsic,
    side: u32,
) -> Option<Diagnostic> {
    let constant = |name: &str| known.parameter(name).and_then(|n| call.constant(n)).filter(|c| *c >= 0).unwrap_or(0);
    let word = |name: &str| u32::try_from(constant(name)).unwrap_or(0);
    let has_packets = [Protocol::Ll, Protocol::Automatic].iter().any(|p| p.code() == word("protocol"));
    let record = ChannelRecord {
        protocol: word("protocol"),
        slots: word("slots"),
        element_bytes: word("element"),
        sides: side,
        capacity: constant("capacity").cast_unsigned(),
        packet_data: if has_packets { word("packet_data") } else { 0 },
        ..ChannelRecord::default()
    };
    let name = known.parameter("name").and_then(|n| call.argument(n)).and_then(text).unwrap_or_default();
    let place = span(call.instruction);
    let other = channels.iter().find(|c| !name.is_empty() && c.name == name && !c.record.fits(&record));
    let error = other.map(|other| {
        let (here, there) = (record.shape(), other.record.shape());
        Diagnostic::error(codes::CHANNEL_MISMATCH, format!("the ends of channel `{name}` disagree: here it is {here}"))
            .at(place.clone())
            .cause("a message is found by slots and packets whose places both ends compute from the channel's type")
            .cure("use one type for both ends, or another name for another channel")
            .note(format!("and here it is {there}"), other.place.clone())
    });
    let same = |c: &&mut Channel| c.name == name && ChannelRecord { sides: side, ..c.record } == record;
    match channels.iter_mut().find(same) {
        Some(same) => same.record.sides |= side,
        None => channels.push(Channel { record, name, place }),
    }
    error
}

/// The text of a constant string that ends with a zero; nothing for null and what is no constant.
fn text(value: BasicValueEnum<'_>) -> Option<String> {
    let origin = strip_casts(stored(value));
    // SAFETY: the value is alive; LLVM answers null where it is no global variable.
    let global = unsafe { inkwell::llvm_sys::core::LLVMIsAGlobalVariable(origin.as_value_ref()) };
    if global.is_null() {
        return None;
    }
    // SAFETY: a global variable.
    let initial = unsafe { GlobalValue::new(global) }.get_initializer()?;
    let bytes = initial.is_array_value().then(|| initial.into_array_value())?.as_const_string()?.to_vec();
    let end = bytes.iter().position(|b| *b == 0)?;
    String::from_utf8(bytes[..end].to_vec()).ok()
}

/// Writes the record into the module.
pub(crate) fn write(module: &Module<'_>, facts: &Facts) {
    let word = |n: usize| u32::try_from(n).expect("a record is small");
    let (channels, domains) = (&facts.channels, &facts.domains);
    let names = || channels.iter().map(|c| &c.name).chain(domains.iter().map(|d| &d.name));
    let fixed = size_of::<ModuleRecord>()
        + channels.len() * size_of::<ChannelRecord>()
        + domains.len() * size_of::<DomainRecord>();
    let bytes = fixed + names().map(String::len).sum::<usize>();
    let record = ModuleRecord {
        magic: ModuleRecord::MAGIC,
        abi_version: ABI_VERSION,
        record_bytes: word(bytes),
        runtime_hash: runtime_hash(),
        workspace_bytes: heap::WORKSPACE_BYTES,
        region_bytes: if facts.collectives { heap::REGION_BYTES } else { 0 },
        part_bytes: if facts.parts { heap::PART_BYTES } else { 0 },
        error_words: 1,
        channels: word(channels.len()),
        domains: word(domains.len()),
        reserved: 0,
        max_barrier_blocks: if facts.barrier { heap::MAX_BARRIER_BLOCKS } else { 0 },
        co_resident: facts.barrier.into(),
    };
    let mut image = record.to_bytes();
    let mut at = fixed;
    for Channel { record, name, .. } in channels {
        let name_at = if name.is_empty() { 0 } else { word(at) };
        image.extend(ChannelRecord { name_at, name_bytes: word(name.len()), ..*record }.to_bytes());
        at += name.len();
    }
    for DomainNote { name, number, scope, .. } in domains {
        let (name_at, name_bytes) = (word(at), word(name.len()));
        image.extend(DomainRecord { number: *number, scope: *scope, name_at, name_bytes }.to_bytes());
        at += name.len();
    }
    names().for_each(|name| image.extend(name.bytes()));
    let context = module.get_context();
    let value = context.const_string(&image, false);
    let global = module.add_global(value.get_type(), Some(AddressSpace::from(1u16)), MODULE_RECORD_SYMBOL);
    global.set_initializer(&value);
    global.set_constant(true);
    global.set_alignment(8);
}
