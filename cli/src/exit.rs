//! The exit codes, and which error calls for which. `--help` and README.md tell users the same.

use gicc::diagnostic::codes;

/// Done.
pub(crate) const OK: u8 = 0;
/// The input was refused, or gave wrong numbers.
pub(crate) const REFUSED: u8 = 1;
/// Wrong usage, a part that is not built, a missing program, an output that cannot be written.
pub(crate) const USAGE: u8 = 2;
/// An internal error.
pub(crate) const INTERNAL: u8 = 3;

/// The exit code that an error calls for.
pub(crate) fn of_error(code: &str) -> u8 {
    match code {
        codes::NOT_BUILT | codes::MISSING_TOOL | codes::UNWRITABLE_OUTPUT | codes::BAD_OPTIONS | codes::CANNOT_RUN => {
            USAGE
        }
        codes::INTERNAL => INTERNAL,
        _ => REFUSED,
    }
}
