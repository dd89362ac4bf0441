//! The command as a user meets it: help, exit codes, messages, files.

#![expect(clippy::unwrap_used, reason = "an unwrap in a test is an assertion")]

mod bad_input;
mod bench;
mod doctor;
mod help;
mod isolation;
mod mutations;
mod products;
mod refusals;
