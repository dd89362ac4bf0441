//! Host signals of a program become errors. While a launch runs, SIGSEGV, SIGBUS, SIGFPE and SIGILL that a thread's program
//! raises end its coroutine; all other ones go to whoever handled them before.
//!
//! This is a safety net: programs check their accesses, divisions and stacks, so a signal means that a check is missing.

use std::cell::Cell;
use std::mem::MaybeUninit;
use std::sync::Mutex;

use corosensei::trap::TrapHandlerRegs;

use crate::error::FaultKind;
use crate::schedule::Fault;
use crate::thread::current;

const SIGNALS: [libc::c_int; 4] = [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL];

/// How many launches run, and the handlers from before.
static INSTALLED: Mutex<(usize, [MaybeUninit<libc::sigaction>; 4])> = Mutex::new((0, [MaybeUninit::uninit(); 4]));

thread_local! {
    static IN_HANDLER: Cell<bool> = const { Cell::new(false) };
}

/// The handlers are in place while a value of this exists.
pub(crate) struct Handlers;

impl Handlers {
    pub(crate) fn install() -> Self {
        let mut installed = INSTALLED.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if installed.0 == 0 {
            for (place, signal) in SIGNALS.into_iter().enumerate() {
                // SAFETY: a zeroed action is a valid one; the handler has the signature that SA_SIGINFO wants.
                unsafe {
                    let mut action: libc::sigaction = std::mem::zeroed();
                    action.sa_sigaction = handle as *const () as usize;
                    action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_NODEFER;
                    libc::sigemptyset(&mut action.sa_mask);
                    libc::sigaction(signal, &action, installed.1[place].as_mut_ptr());
                }
            }
        }
        installed.0 += 1;
        Handlers
    }
}

impl Drop for Handlers {
    fn drop(&mut self) {
        let mut installed = INSTALLED.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        installed.0 -= 1;
        if installed.0 == 0 {
            for (place, signal) in SIGNALS.into_iter().enumerate() {
                // SAFETY: written when the handlers were put in place.
                unsafe { libc::sigaction(signal, installed.1[place].as_ptr(), std::ptr::null_mut()) };
            }
        }
    }
}

extern "C" fn handle(signal: libc::c_int, _info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    let thread = current();
    // SAFETY: the kernel gives a context of this type. A thread is current only while its program runs on this host
    // thread, and then nothing else refers to it.
    unsafe {
        let registers = &mut (*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs;
        let stack = registers[libc::REG_RSP as usize] as usize;
        let coroutine = if thread.is_null() { None } else { (*thread).coroutine.as_ref() };
        let trap = coroutine.map(corosensei::Coroutine::trap_handler);
        match trap.filter(|t| t.stack_ptr_in_bounds(stack)) {
            Some(trap) => {
                (*(*thread).scheduler).fault = Some(Fault::Other(FaultKind::Signal { signal }));
                let TrapHandlerRegs { rip, rsp, rbp, rdi, rsi } = trap.setup_trap_handler(|| ());
                registers[libc::REG_RIP as usize] = rip as i64;
                registers[libc::REG_RSP as usize] = rsp as i64;
                registers[libc::REG_RBP as usize] = rbp as i64;
                registers[libc::REG_RDI as usize] = rdi as i64;
                registers[libc::REG_RSI as usize] = rsi as i64;
            }
            None => {
                // Not ours: the default takes over when the instruction runs again.
                let mut action: libc::sigaction = std::mem::zeroed();
                action.sa_sigaction = libc::SIG_DFL;
                libc::sigaction(signal, &action, std::ptr::null_mut());
            }
        }
        IN_HANDLER.with(|h| h.set(false));
    }
}
