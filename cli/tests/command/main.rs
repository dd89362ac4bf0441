//! The command as a user meets it: help, exit codes, messages, files.

mod bench;
mod doctor;
mod help;
mod refusals;
