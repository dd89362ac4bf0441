//! Accesses of 8 to 32 bytes in one piece: copies of a whole vector or structure. The optimiser makes scalars of them; where
//! they stand in the source stays.

use inkwell::module::Module;

use crate::analysis::annotation::Notes;
use crate::llvm::{calls, name_of, span};

/// Bytes of a packet.
const SIZES: std::ops::RangeInclusive<i64> = 8..=32;

/// Notes where packets are copied.
pub(super) fn read(module: &Module<'_>, notes: &mut Notes) {
    for call in calls(module) {
        let name = name_of(call.callee);
        if !name.starts_with("llvm.memcpy.") && !name.starts_with("llvm.memmove.") {
            continue;
        }
        let Some(bytes) = call.constant(2).filter(|b| SIZES.contains(b)) else { continue };
        if let Some(span) = span(call.instruction) {
            let bytes = u32::try_from(bytes).unwrap_or(0);
            notes
                .packets
                .entry((span.file, span.line, span.column))
                .and_modify(|b| *b = bytes.max(*b))
                .or_insert(bytes);
        }
    }
}
