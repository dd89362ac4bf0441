//! How a type lies in memory, as far as tables are concerned: which stretches are arrays, so that an access to one element
//! and one to a computed element are seen to be of one table.

use inkwell::llvm_sys::LLVMTypeKind;
use inkwell::llvm_sys::core::{
    LLVMCountStructElementTypes, LLVMGetArrayLength2, LLVMGetElementType, LLVMGetTypeKind, LLVMStructGetTypeAtIndex,
    LLVMTypeIsSized,
};
use inkwell::llvm_sys::prelude::LLVMTypeRef;
use inkwell::llvm_sys::target::{LLVMABISizeOfType, LLVMOffsetOfElement, LLVMTargetDataRef};

/// As many arrays are kept of one type, and types are entered as deep.
const MOST: usize = 256;
const DEPTH: u32 = 16;

/// The outermost arrays of a type whose elements are as wide as a pointer or wider.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Layout {
    pub(crate) size: u64,
    /// Beginning, end and element size, in order of the beginnings.
    pub(crate) arrays: Vec<(u64, u64, u64)>,
    /// The whole is one array.
    pub(crate) is_array: bool,
}

impl Layout {
    /// The array in which an offset lies: its beginning and element size.
    pub(crate) fn array_at(&self, offset: i64) -> Option<(i64, i64)> {
        let offset = u64::try_from(offset).ok()?;
        let at = self.arrays.partition_point(|(begin, ..)| *begin <= offset).checked_sub(1)?;
        let (begin, end, element) = self.arrays[at];
        (offset < end).then_some((begin as i64, element as i64))
    }

    /// The layout of a type.
    ///
    /// # Safety
    /// Type and target data are alive.
    pub(super) unsafe fn of(ty: LLVMTypeRef, target: LLVMTargetDataRef) -> Layout {
        let mut layout = Layout::default();
        // SAFETY: as the caller states; only sized types are asked for their size.
        unsafe {
            if LLVMTypeIsSized(ty) != 0 {
                layout.size = LLVMABISizeOfType(target, ty);
                layout.is_array = LLVMGetTypeKind(ty) == LLVMTypeKind::LLVMArrayTypeKind;
                collect(ty, target, 0, 0, &mut layout.arrays);
            }
        }
        layout.arrays.sort_unstable();
        layout
    }
}

/// Adds the arrays of a type that lies at `offset`.
///
/// # Safety
/// The type is sized, it and the target data are alive.
unsafe fn collect(ty: LLVMTypeRef, target: LLVMTargetDataRef, offset: u64, depth: u32, out: &mut Vec<(u64, u64, u64)>) {
    if depth > DEPTH || out.len() >= MOST {
        return;
    }
    // SAFETY: as the caller states; parts of a sized type are sized, indices are below the counts that LLVM says.
    unsafe {
        match LLVMGetTypeKind(ty) {
            LLVMTypeKind::LLVMStructTypeKind => {
                for n in 0..LLVMCountStructElementTypes(ty) {
                    let at = offset.saturating_add(LLVMOffsetOfElement(target, ty, n));
                    collect(LLVMStructGetTypeAtIndex(ty, n), target, at, depth + 1, out);
                }
            }
            LLVMTypeKind::LLVMArrayTypeKind => {
                let inner = LLVMGetElementType(ty);
                let (element, length) = (LLVMABISizeOfType(target, inner), LLVMGetArrayLength2(ty));
                if length > 1 && element >= 8 {
                    out.push((offset, offset.saturating_add(element.saturating_mul(length)), element));
                } else if length == 1 {
                    collect(inner, target, offset, depth + 1, out);
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_offset_finds_its_array() {
        let layout = Layout { size: 80, arrays: vec![(8, 40, 8), (48, 80, 16)], is_array: false };
        assert_eq!(layout.array_at(0), None);
        assert_eq!(layout.array_at(8), Some((8, 8)));
        assert_eq!(layout.array_at(39), Some((8, 8)));
        assert_eq!(layout.array_at(40), None);
        assert_eq!(layout.array_at(64), Some((48, 16)));
        assert_eq!(layout.array_at(-1), None);
    }
}
