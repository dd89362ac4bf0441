//! The dialect's passes by name, and the pipelines of them and of MLIR's.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

use melior::ContextRef;
use melior::dialect::DialectHandle;
use melior::ir::OperationRef;
use melior::ir::operation::OperationLike as _;
use melior::ir::r#type::TypeId;
use melior::pass::{ExternalPass, RunExternalPass, create_external};
use melior::utility::register_all_passes;
use mlir_sys::MlirPass;

use super::messages::emit_error;
use super::{device, lower};

/// A pass over a whole module: changes it, and emits errors through MLIR.
pub type Work = fn(OperationRef<'_, '_>) -> Result<(), Failed>;

/// A pass failed, and has emitted an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failed;

/// Calls Rust from MLIR: a panic becomes an error at the module, since it may not unwind into C++.
///
/// # Errors
/// Where the work fails or panics.
pub fn guarded(module: OperationRef<'_, '_>, name: &str, work: Work) -> Result<(), Failed> {
    catch_unwind(AssertUnwindSafe(|| work(module))).unwrap_or_else(|_| {
        emit_error(module.location(), &format!("internal error in the pass `{name}`: please report it with the input"));
        Err(Failed)
    })
}

/// What MLIR runs.
#[derive(Clone, Copy)]
struct Guarded {
    name: &'static str,
    work: Work,
}

impl<'c> RunExternalPass<'c> for Guarded {
    fn initialize(&mut self, _: ContextRef<'c>) {}

    fn run(&mut self, module: OperationRef<'c, '_>, pass: ExternalPass<'_>) {
        if guarded(module, self.name, self.work).is_err() {
            pass.signal_failure();
        }
    }
}

#[repr(align(8))]
struct Id(#[expect(dead_code, reason = "its address is what identifies the pass")] u8);

unsafe extern "C" {
    fn giccRegisterPass(create: extern "C" fn() -> MlirPass);
}

/// Defines passes: each gets a constructor for MLIR, and a line in [`register`].
macro_rules! passes {
    ($($(#[$doc:meta])* $constant:ident, $create:ident = $name:literal, $about:literal, $work:path, [$($dialect:ident),*];)*) => {
        $($(#[$doc])* pub const $constant: &str = $name;

        extern "C" fn $create() -> MlirPass {
            static ID: Id = Id(0);
            create_external(
                Guarded { name: $name, work: $work },
                TypeId::create(&ID),
                $name,
                $name,
                $about,
                "builtin.module",
                &[$(DialectHandle::$dialect()),*],
            )
            .to_raw()
        })*

        /// The passes' names and what they do.
        pub const ALL: &[(&str, &str)] = &[$(($name, $about)),*];

        fn register_own() {
            // SAFETY: each function makes a new pass, which MLIR owns.
            unsafe { $(giccRegisterPass($create);)* }
        }
    };
}

passes! {
    /// Operations become calls of intrinsics.
    TO_LLVM, create_to_llvm = "gicc-to-llvm", "Lower the dialect gicc to calls of gicc's intrinsics", lower::run, [llvm];
    /// Each collective becomes a call of the function that is made for it.
    EXPAND_COLLECTIVES, create_expand_collectives = "gicc-expand-collectives",
        "Choose an algorithm for each collective, and expand it", crate::collective::expand, [llvm, scf];
    /// All functions become one module of device code.
    DEVICE_MODULE, create_device_module = "gicc-device-module",
        "Gather all functions of a file in one gpu.module, and mark its kernels", device::gather, [llvm, gpu];
    /// What is left of other dialects is refused.
    CHECK_LOWERED, create_check_lowered = "gicc-check-lowered",
        "Refuse what could not be lowered to the LLVM dialect", device::check_lowered, [llvm];
}

/// What of MLIR's passes lowers user code, behind the dialect's own, inside the module of device code.
pub const DEVICE_TO_LLVM: &str = "gpu.module(lower-affine,convert-vector-to-scf,convert-scf-to-cf,expand-strided-metadata,\
                                  lower-affine,convert-gpu-to-nvvm{use-bare-ptr-memref-call-conv=true},\
                                  convert-nvvm-to-llvm,reconcile-unrealized-casts),\
                                  ensure-debug-info-scope-on-llvm-func{emission-kind=DebugDirectivesOnly}";

/// Makes the passes of gicc and of MLIR known by their names; once in a process.
pub fn register() {
    static ONCE: Once = Once::new();
    register_all_passes();
    ONCE.call_once(register_own);
}

/// Makes gicc's own passes known, in a process that knows MLIR's already, as `mlir-opt` does.
pub fn register_in_host() {
    register_own();
}
