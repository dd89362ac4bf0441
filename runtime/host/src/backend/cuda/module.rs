//! Modules on CUDA: which compiled form a device takes, and the driver's own words where it takes none.

use std::collections::HashMap;
use std::ffi::{CString, c_void};
use std::path::Path;

use cudarc::driver::sys;
use cudarc::driver::sys::CUjit_option;
use gicc_abi::manifest::{Image, ImageKind, Manifest};

use super::Device;
use super::driver::{CudaError, check, words};
use crate::error::HostError;

/// Bytes of a log of the driver's compiler.
const LOG_BYTES: usize = 16 * 1024;

/// A module on one device.
pub(crate) struct Loaded {
    module: sys::CUmodule,
    functions: HashMap<String, sys::CUfunction>,
    /// Whether it was loaded here and is unloaded here.
    owned: bool,
}

/// The compiled form for a device: machine code of its architecture, else PTX of the newest architecture that it runs.
pub(crate) fn choose<'a>(images: &'a [Image], device: &Device) -> Option<&'a Image> {
    let (major, minor) = device.capability;
    let own = [format!("sm_{major}{minor}a"), format!("sm_{major}{minor}")];
    let cubin = own.iter().find_map(|arch| images.iter().find(|i| i.kind == ImageKind::Cubin && i.arch == *arch));
    let runs = |i: &&Image| {
        let number = i.arch.trim_start_matches("sm_").trim_start_matches("compute_");
        match number.strip_suffix('a') {
            // Features of one architecture run on that one alone.
            Some(_) => own[0].ends_with(&format!("_{number}")),
            None => number.parse::<i32>().is_ok_and(|n| n <= 10 * major + minor),
        }
    };
    let rank = |i: &&Image| {
        let digits: String = i.arch.chars().filter(char::is_ascii_digit).collect();
        (digits.parse::<i32>().unwrap_or(0), i.arch.ends_with('a'))
    };
    cubin.or_else(|| images.iter().filter(|i| i.kind == ImageKind::Ptx).filter(runs).max_by_key(rank))
}

impl Loaded {
    /// Loads the module of a folder on a device, whose context is current.
    pub(crate) fn load(folder: &Path, manifest: &Manifest, device: &Device, pe: u32) -> Result<Loaded, HostError> {
        let image = choose(&manifest.images, device).ok_or_else(|| {
            let found: Vec<String> =
                manifest.images.iter().map(|i| format!("{:?} {}", i.kind, i.arch).to_lowercase()).collect();
            HostError::NoImage {
                folder: folder.to_owned(),
                target: format!("GPU {pe} ({}, {})", device.name, device.arch()),
                found: if found.is_empty() { "none".into() } else { found.join(", ") },
                help: format!("compile it with --arch {}", device.arch()),
            }
        })?;
        let path = folder.join(&image.file);
        let mut bytes = std::fs::read(&path).map_err(|e| HostError::Unreadable {
            path: path.clone(),
            reason: e.to_string(),
            help: "compile the folder again".into(),
        })?;
        // PTX is text that ends with a zero.
        bytes.push(0);
        let module = load_image(&bytes, image, device, pe)?;
        let mut loaded = Loaded { module, functions: HashMap::new(), owned: true };
        for kernel in &manifest.kernels {
            let symbol = &kernel.symbol;
            let name = CString::new(symbol.as_str()).map_err(|_| HostError::NoKernel { symbol: symbol.clone() })?;
            let mut function = std::ptr::null_mut();
            // SAFETY: the module is loaded and the name ends with a zero.
            match unsafe { sys::cuModuleGetFunction(&mut function, module, name.as_ptr()) } {
                sys::CUresult::CUDA_SUCCESS => loaded.functions.insert(symbol.clone(), function),
                sys::CUresult::CUDA_ERROR_NOT_FOUND => return Err(HostError::NoKernel { symbol: symbol.clone() }),
                other => {
                    return Err(check(other, format!("looking for kernel `{symbol}`"))
                        .err()
                        .unwrap_or(CudaError::Unusable)
                        .into());
                }
            };
        }
        Ok(loaded)
    }

    /// A module that somebody else loaded and unloads; kernels of it are launched by them.
    pub(crate) fn adopt(module: sys::CUmodule) -> Loaded {
        Loaded { module, functions: HashMap::new(), owned: false }
    }

    /// A kernel.
    pub(crate) fn function(&self, symbol: &str) -> Result<sys::CUfunction, HostError> {
        self.functions.get(symbol).copied().ok_or_else(|| HostError::NoKernel { symbol: symbol.to_owned() })
    }

    /// Address and bytes of a variable.
    pub(crate) fn variable(&self, name: &str) -> Result<Option<(u64, u64)>, HostError> {
        let c_name = CString::new(name).map_err(|_| HostError::Misuse(format!("`{name}` is no symbol")))?;
        let (mut address, mut bytes) = (0, 0);
        // SAFETY: the module is loaded and the name ends with a zero.
        match unsafe { sys::cuModuleGetGlobal_v2(&mut address, &mut bytes, self.module, c_name.as_ptr()) } {
            sys::CUresult::CUDA_ERROR_NOT_FOUND => Ok(None),
            result => {
                check(result, format!("looking for `{name}` in the module"))?;
                Ok(Some((address, bytes as u64)))
            }
        }
    }

    /// Unloads it; the device's context is current and no kernel runs.
    pub(crate) fn unload(&self) {
        if self.owned {
            // SAFETY: loaded in `load`, and not used after this.
            unsafe { sys::cuModuleUnload(self.module) };
        }
    }
}

fn load_image(bytes: &[u8], image: &Image, device: &Device, pe: u32) -> Result<sys::CUmodule, CudaError> {
    let mut log = vec![0u8; LOG_BYTES];
    let mut options = [
        CUjit_option::CU_JIT_ERROR_LOG_BUFFER,
        CUjit_option::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
        CUjit_option::CU_JIT_GENERATE_LINE_INFO,
    ];
    let mut values = [
        log.as_mut_ptr().cast::<c_void>(),
        std::ptr::without_provenance_mut(LOG_BYTES),
        std::ptr::without_provenance_mut(1),
    ];
    let mut module = std::ptr::null_mut();
    // SAFETY: the image ends with a zero; options and values have equal lengths and live during the call, as does the log.
    let result = unsafe {
        sys::cuModuleLoadDataEx(
            &mut module,
            bytes.as_ptr().cast(),
            options.len() as u32,
            options.as_mut_ptr(),
            values.as_mut_ptr(),
        )
    };
    if result == sys::CUresult::CUDA_SUCCESS {
        return Ok(module);
    }
    let (code, text) = words(result);
    let log = String::from_utf8_lossy(&log[..log.iter().position(|b| *b == 0).unwrap_or(LOG_BYTES)]).trim().to_owned();
    let log: String = log.lines().map(|line| format!("\n  | {line}")).collect();
    let help = match image.kind {
        ImageKind::Ptx => {
            "a PTX version that is newer than the driver, or an error in inline PTX; ptxas shows the same message"
        }
        _ => "compile the folder again for this GPU's architecture",
    };
    Err(CudaError::Module {
        file: image.file.clone(),
        pe,
        arch: device.arch(),
        code: format!("{code} ({text})"),
        log,
        help: help.into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image(kind: ImageKind, arch: &str) -> Image {
        Image { kind, arch: arch.into(), file: format!("{kind:?}-{arch}") }
    }

    fn chosen(images: &[Image], capability: (i32, i32)) -> Option<String> {
        let device = Device { name: "a GPU".into(), capability, ..Device::default() };
        choose(images, &device).map(|i| i.file.clone())
    }

    #[test]
    fn machine_code_of_the_device_comes_before_ptx() {
        use ImageKind::{Cubin, Ptx};
        let images = [image(Ptx, "sm_80"), image(Ptx, "sm_90"), image(Cubin, "sm_90"), image(Ptx, "sm_100a")];
        assert_eq!(chosen(&images, (9, 0)).as_deref(), Some("Cubin-sm_90"));
        assert_eq!(chosen(&images, (8, 6)).as_deref(), Some("Ptx-sm_80"));
        assert_eq!(chosen(&images, (10, 0)).as_deref(), Some("Ptx-sm_100a"));
        assert_eq!(chosen(&images, (12, 0)).as_deref(), Some("Ptx-sm_90"));
        assert_eq!(chosen(&images, (7, 5)), None);
    }
}
