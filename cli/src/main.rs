//! The command `gicc`. It turns the command line into options of the compiler and the host runtime, and what they say
//! into text. It holds no knowledge of kernels.
//!
//! | file | what it does |
//! | --- | --- |
//! | `args` | the command line and its help |
//! | `messages`, `excerpt` | diagnostics as text with source lines, or as JSON |
//! | `exit` | exit codes |
//! | `panic`, `isolate` | mistakes of gicc's own, and of LLVM's, become messages |
//! | `not_built` | parts of the design that do not exist yet are refused |
//! | `host` | the host runtime's errors as messages |
//! | `compile`, `run`, `check`, `explain`, `doctor`, `litmus`, `cache` | the jobs |
//! | `finding` | a finding of `check` as text with source lines |

mod args;
mod cache;
mod check;
mod compile;
mod doctor;
mod excerpt;
mod exit;
mod explain;
mod finding;
mod host;
mod isolate;
mod litmus;
mod messages;
mod not_built;
mod panic;
mod run;
mod source;

use std::io::{self, Write as _};
use std::process::ExitCode;
use std::time::Instant;

use clap::Parser as _;

use args::{Cli, Command, MessageArgs, Remarks};
use messages::Messages;

fn main() -> ExitCode {
    let start = Instant::now();
    let cli = Cli::parse();
    let none = Remarks::Off;
    ExitCode::from(match &cli.command {
        None => with_messages(&cli.compile.messages, cli.compile.code.remarks, |m| {
            compile::main_job(&cli.compile, m, start)
        }),
        Some(Command::Run(args)) => with_messages(&args.messages, args.code.remarks, |m| run::run(args, m, start)),
        Some(Command::Doctor(args)) => with_messages(&args.messages, none, |m| doctor::doctor(args, m)),
        Some(Command::Cache(args)) => with_messages(&args.messages, none, |m| cache::cache(args, m)),
        Some(Command::Litmus(args)) => with_messages(&args.messages, none, |m| litmus::litmus(args, m)),
        Some(Command::Check(args)) => {
            with_messages(&args.messages, args.code.remarks, |m| check::check(args, m, start))
        }
        Some(Command::Explain(args)) => {
            with_messages(&args.messages, args.code.remarks, |m| explain::explain(args, m, start))
        }
        Some(Command::Sim(_)) => {
            refuse("`gicc sim` (the hardware model)", "`gicc run --target sim` runs kernels on simulated GPUs")
        }
    })
}

/// Sets up the stream for messages, the panic hook and the log, then works.
fn with_messages(args: &MessageArgs, remarks: Remarks, work: impl FnOnce(&Messages) -> u8) -> u8 {
    let Ok(messages) = Messages::new(args, remarks) else { return exit::INTERNAL };
    panic::install_hook(&messages, args.diagnostics);
    start_log(&messages);
    // The hook has said everything.
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| work(&messages))).unwrap_or(exit::INTERNAL)
}

/// `-v` shows what is done, `-vv` in detail.
fn start_log(messages: &Messages) {
    let level = match messages.verbose {
        0 => return,
        1 => tracing::Level::INFO,
        _ => tracing::Level::TRACE,
    };
    if let Ok(stream) = messages.stream() {
        tracing_subscriber::fmt()
            .with_max_level(level)
            .with_ansi(messages.color())
            .without_time()
            .with_target(false)
            .with_writer(std::sync::Mutex::new(stream))
            .init();
    }
}

fn refuse(what: &str, instead: &str) -> u8 {
    let args = MessageArgs { diagnostics: args::Form::Human, color: args::Color::Auto, verbose: 0 };
    with_messages(&args, Remarks::Off, |messages| {
        messages.diagnostic(&not_built::refuse(what, instead));
        exit::USAGE
    })
}

/// Prints to standard output; a reader that has gone away is no error.
fn print(text: &str, messages: &Messages) {
    if let Err(e) = io::stdout().lock().write_all(text.as_bytes())
        && e.kind() != io::ErrorKind::BrokenPipe
    {
        messages.line(format_args!("cannot write to standard output: {e}"));
    }
}
