//! The symmetric heap on CUDA: one reserved range of addresses, in which each device's memory is mapped at its PE's place,
//! for all devices to read and write.

use cudarc::driver::sys;

use super::driver::{CudaError, check};
use crate::backend::Heap;

/// Mapped segments; unmapped and given back when dropped.
pub(crate) struct Segments {
    heap: Heap,
    /// The reserved range.
    reserved: usize,
    /// What was mapped, by PE.
    mapped: Vec<sys::CUmemGenericAllocationHandle>,
}

fn properties(device: i32) -> sys::CUmemAllocationProp {
    sys::CUmemAllocationProp {
        type_: sys::CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED,
        requestedHandleTypes: sys::CUmemAllocationHandleType(0),
        location: location(device),
        win32HandleMetaData: std::ptr::null_mut(),
        allocFlags: sys::CUmemAllocationProp_st__bindgen_ty_1 {
            compressionType: 0,
            gpuDirectRDMACapable: 0,
            usage: 0,
            reserved: [0; 4],
        },
    }
}

fn location(device: i32) -> sys::CUmemLocation {
    sys::CUmemLocation { type_: sys::CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE, id: device }
}

impl Segments {
    /// Maps a segment of at least `bytes` bytes on each device.
    pub(crate) fn map(devices: &[i32], bytes: u64) -> Result<Segments, CudaError> {
        let mut granularity = 1usize;
        for device in devices {
            let mut own = 0;
            let recommended = sys::CUmemAllocationGranularity_flags::CU_MEM_ALLOC_GRANULARITY_RECOMMENDED;
            // SAFETY: the properties live during the call, which writes one number.
            let result = unsafe { sys::cuMemGetAllocationGranularity(&mut own, &properties(*device), recommended) };
            check(result, format!("asking GPU {device} for the granularity of its memory"))?;
            granularity = granularity.max(own);
        }
        let too_much = || CudaError::Call {
            what: format!("reserving {bytes} bytes of symmetric memory on each GPU"),
            code: "too much".into(),
            text: "the size does not fit in the address space".into(),
        };
        let stride = usize::try_from(bytes.max(1))
            .ok()
            .and_then(|b| b.checked_next_multiple_of(granularity))
            .ok_or_else(too_much)?;
        let reserved = stride.checked_mul(devices.len()).ok_or_else(too_much)?;
        let mut base = 0;
        // SAFETY: reserves a range of addresses and writes its start.
        let result = unsafe { sys::cuMemAddressReserve(&mut base, reserved, granularity, 0, 0) };
        check(result, format!("reserving {reserved} bytes of addresses for the symmetric heap"))?;
        let heap = Heap { base, stride: stride as u64, bytes: stride as u64 };
        let mut segments = Segments { heap, reserved, mapped: Vec::new() };
        for (pe, device) in devices.iter().enumerate() {
            let what = || format!("allocating a segment of {stride} bytes of the symmetric heap on GPU {device}");
            let mut handle = 0;
            // SAFETY: the properties live during the call, which writes the handle.
            check(unsafe { sys::cuMemCreate(&mut handle, stride, &properties(*device), 0) }, what())?;
            // SAFETY: within the reserved range, where nothing is mapped yet.
            let result = unsafe { sys::cuMemMap(base + (pe * stride) as u64, stride, 0, handle, 0) };
            if let Err(e) = check(result, what()) {
                // SAFETY: the handle made above, which is mapped nowhere.
                unsafe { sys::cuMemRelease(handle) };
                return Err(e);
            }
            segments.mapped.push(handle);
        }
        let access: Vec<_> = devices
            .iter()
            .map(|device| sys::CUmemAccessDesc {
                location: location(*device),
                flags: sys::CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READWRITE,
            })
            .collect();
        // SAFETY: the whole range is mapped, and the descriptors live during the call.
        let result = unsafe { sys::cuMemSetAccess(base, reserved, access.as_ptr(), access.len()) };
        check(result, "giving all GPUs access to the symmetric heap")?;
        Ok(segments)
    }

    pub(crate) fn heap(&self) -> Heap {
        self.heap
    }
}

impl Drop for Segments {
    fn drop(&mut self) {
        for (pe, handle) in self.mapped.iter().enumerate() {
            let start = self.heap.base + pe as u64 * self.heap.stride;
            // SAFETY: mapped in `map`; no kernel runs any more when a backend is dropped.
            unsafe {
                sys::cuMemUnmap(start, self.heap.stride as usize);
                sys::cuMemRelease(*handle);
            }
        }
        // SAFETY: reserved in `map`, and nothing is mapped in it any more.
        unsafe { sys::cuMemAddressFree(self.heap.base, self.reserved) };
    }
}
