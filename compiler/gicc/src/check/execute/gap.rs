//! What of a kernel could not be followed, and where: it is told, so that silence means that all was looked at.

use crate::diagnostic::Span;

/// One such place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Gap {
    /// What stands there.
    pub(crate) words: String,
    /// Where.
    pub(crate) span: Option<Span>,
}
