//! The host runtime.
