//! Parts of the design that are not built yet. They are named on the command line and refused in one place.

use gicc::diagnostic::{Diagnostic, codes};

use crate::args::{CodeArgs, Engine, RunArgs};

/// The refusal of a part.
pub(crate) fn refuse(what: &str, instead: &str) -> Diagnostic {
    Diagnostic::error(codes::NOT_BUILT, format!("{what} is not built yet")).cure(instead)
}

/// The first part that these options ask for and that does not exist.
pub(crate) fn in_code(args: &CodeArgs) -> Option<Diagnostic> {
    if args.implicit {
        return Some(refuse(
            "`--implicit` (finding communication in plain memory operations)",
            "call gicc's primitives, see gicc/gicc.cuh",
        ));
    }
    if args.engine != Engine::Direct {
        return Some(refuse("an `--engine` other than `direct`", "leave --engine out"));
    }
    None
}

/// The same for a run.
pub(crate) fn in_run(args: &RunArgs) -> Option<Diagnostic> {
    if args.trace.is_some() {
        return Some(refuse("`--trace`", "leave it out"));
    }
    in_code(&args.code)
}
