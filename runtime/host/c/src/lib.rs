//! The C library: what `include/gicc/host.h` declares, over `gicc-host` on CUDA. A panic never leaves it.

use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use gicc_host::HostError;
use gicc_host::backend::cuda::Cuda;
use gicc_host::team::{Bounds, Team};

/// `gicc_team` of the header.
pub struct GiccTeam {
    team: Team,
}

thread_local! {
    static LAST_ERROR: RefCell<CString> = RefCell::default();
}

/// Why a call failed, in words.
struct Failure(String);

impl<T: std::fmt::Display> From<T> for Failure {
    fn from(error: T) -> Self {
        Failure(error.to_string())
    }
}

/// Runs a call and turns its result into a number and the thread's last error.
fn call(f: impl FnOnce() -> Result<(), Failure>) -> i32 {
    let message = match catch_unwind(AssertUnwindSafe(f)) {
        Ok(Ok(())) => return 0,
        Ok(Err(Failure(message))) => message,
        Err(panic) => {
            let text = panic
                .downcast_ref::<&str>()
                .map(|s| (*s).to_owned())
                .or_else(|| panic.downcast_ref::<String>().cloned());
            format!("error: a defect of gicc: {}", text.unwrap_or_else(|| "no message".into()))
        }
    };
    let message = CString::new(message.replace('\0', " ")).unwrap_or_default();
    LAST_ERROR.with_borrow_mut(|last| *last = message);
    1
}

fn misuse(what: &str) -> HostError {
    HostError::Misuse(what.to_owned())
}

/// The team behind a pointer.
///
/// # Safety
/// `team` is null, or came from [`gicc_team_create`], was not destroyed, and is used by this thread alone.
unsafe fn team<'a>(team: *mut GiccTeam) -> Result<&'a mut Team, HostError> {
    // SAFETY: as this function demands.
    match unsafe { team.as_mut() } {
        Some(t) => Ok(&mut t.team),
        None => Err(misuse("the team is NULL")),
    }
}

/// A string, or `unnamed` for NULL.
///
/// # Safety
/// `text` is null or ends with a zero.
unsafe fn text(text: *const c_char) -> String {
    if text.is_null() {
        return "unnamed".into();
    }
    // SAFETY: as this function demands.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

/// See `gicc/host.h`.
#[unsafe(no_mangle)]
pub extern "C" fn gicc_last_error() -> *const c_char {
    LAST_ERROR.with_borrow(|last| last.as_ptr())
}

/// See `gicc/host.h`.
///
/// # Safety
/// `out` is null or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gicc_team_create(
    n_pes: u32,
    heap_bytes: u64,
    timeout_seconds: f64,
    out: *mut *mut GiccTeam,
) -> i32 {
    call(|| {
        if out.is_null() {
            return Err(misuse("the place for the team is NULL").into());
        }
        let device = Duration::try_from_secs_f64(timeout_seconds).ok().filter(|d| !d.is_zero());
        let device = device.ok_or_else(|| misuse("the timeout is no positive number of seconds"))?;
        let bounds = Bounds { device, host: Bounds::host_for(device) };
        let team = Team::new(Box::new(Cuda::open(n_pes, heap_bytes)?), bounds);
        // SAFETY: not null, and the caller says that it may be written.
        unsafe { out.write(Box::into_raw(Box::new(GiccTeam { team }))) };
        Ok(())
    })
}

/// See `gicc/host.h`.
///
/// # Safety
/// `team` is null, or came from [`gicc_team_create`] and is not used after this.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gicc_team_destroy(team: *mut GiccTeam) {
    call(|| {
        if !team.is_null() {
            // SAFETY: made by Box::into_raw, and destroyed once.
            drop(unsafe { Box::from_raw(team) });
        }
        Ok(())
    });
}

/// See `gicc/host.h`.
///
/// # Safety
/// `team` is null or came from [`gicc_team_create`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gicc_team_n_pes(team: *const GiccTeam) -> u32 {
    // SAFETY: as this function demands.
    unsafe { team.as_ref() }.map_or(0, |t| t.team.n_pes())
}

/// See `gicc/host.h`.
///
/// # Safety
/// `team` as above, `name` is null or ends with a zero, `addresses` has room for one address a PE.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gicc_symmetric_alloc(
    pointer: *mut GiccTeam,
    name: *const c_char,
    bytes: u64,
    addresses: *mut u64,
) -> i32 {
    call(|| {
        // SAFETY: as this function demands.
        let (team, name) = unsafe { (team(pointer)?, text(name)) };
        if addresses.is_null() {
            return Err(misuse("the place for the addresses is NULL").into());
        }
        let buffer = team.allocate_symmetric(&name, bytes)?;
        for (pe, address) in buffer.addresses.iter().enumerate() {
            // SAFETY: there is room for one address a PE.
            unsafe { addresses.add(pe).write(*address) };
        }
        Ok(())
    })
}

/// See `gicc/host.h`.
///
/// # Safety
/// `team` as above.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gicc_symmetric_free_all(pointer: *mut GiccTeam) -> i32 {
    // SAFETY: as this function demands.
    call(|| Ok(unsafe { team(pointer) }?.free_buffers()?))
}

/// See `gicc/host.h`.
///
/// # Safety
/// `team` as above.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gicc_team_set_collective_blocks(pointer: *mut GiccTeam, blocks: u32) -> i32 {
    call(|| {
        // SAFETY: as this function demands.
        unsafe { team(pointer) }?.set_collective_blocks(blocks);
        Ok(())
    })
}

/// See `gicc/host.h`.
///
/// # Safety
/// `team` as above, `modules` points to a `CUmodule` for each PE, `source` is null or ends with a zero, `module` may be
/// written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gicc_module_init(
    pointer: *mut GiccTeam,
    modules: *const *mut c_void,
    source: *const c_char,
    module: *mut u32,
) -> i32 {
    call(|| {
        // SAFETY: as this function demands.
        let (team, source) = unsafe { (team(pointer)?, text(source)) };
        if modules.is_null() || module.is_null() {
            return Err(misuse("the modules, or the place for the result, are NULL").into());
        }
        // SAFETY: there is a module for each PE.
        let modules = unsafe { std::slice::from_raw_parts(modules, team.n_pes() as usize) };
        let index = team.adopt(modules, &source)?;
        // SAFETY: not null, and the caller says that it may be written.
        unsafe { module.write(index as u32) };
        Ok(())
    })
}

/// See `gicc/host.h`.
///
/// # Safety
/// `team` as above.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gicc_module_clear(pointer: *mut GiccTeam, module: u32) -> i32 {
    // SAFETY: as this function demands.
    call(|| Ok(unsafe { team(pointer) }?.clear_error_words(module as usize)?))
}

/// See `gicc/host.h`.
///
/// # Safety
/// `team` as above.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gicc_module_check(pointer: *mut GiccTeam, module: u32) -> i32 {
    call(|| {
        // SAFETY: as this function demands.
        let team = unsafe { team(pointer) }?;
        let errors = team.device_errors(module as usize)?;
        if errors.is_empty() {
            return Ok(());
        }
        let sentences: Vec<String> = errors.into_iter().map(|e| e.sentence).collect();
        Err(Failure(format!("error: {}", sentences.join("\n  "))))
    })
}

/// See `gicc/host.h`.
///
/// # Safety
/// `team` as above.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gicc_module_reset(pointer: *mut GiccTeam, module: u32) -> i32 {
    // SAFETY: as this function demands.
    call(|| Ok(unsafe { team(pointer) }?.reset_module(module as usize)?))
}
