//! `gicc run`: compile an example to a temporary folder, have the host runtime run it, and say what came out. A folder
//! that is compiled already is run as it is.

use std::path::{Path, PathBuf};
use std::time::Instant;

use gicc::diagnostic::{Diagnostic, codes};
use gicc::driver::folder::{Example, LAUNCH};
use gicc_host::team::Bounds;
use gicc_host::{RunOptions, RunReport};

use crate::args::{Memory, RunArgs, Target};
use crate::messages::Messages;
use crate::{compile, exit, host, not_built};

/// Compiles, runs and checks; the exit code.
pub(crate) fn run(args: &RunArgs, messages: &Messages, start: Instant) -> u8 {
    if let Some(diagnostic) = not_built::in_run(args) {
        messages.diagnostic(&diagnostic);
        return exit::USAGE;
    }
    if args.input.join(gicc_abi::manifest::FILE_NAME).is_file() {
        let launch = args.launch.clone().unwrap_or_else(|| args.input.join(LAUNCH));
        return execute(&args.input, launch, args, messages);
    }
    let example = match example(args) {
        Ok(example) => example,
        Err(diagnostic) => {
            messages.diagnostic(&diagnostic);
            return exit::USAGE;
        }
    };
    // Its mistakes are told at once, and not after the kernel's.
    if let Err(diagnostics) = host::check_launch(&example.launch) {
        return refused(&diagnostics, messages, exit::USAGE);
    }
    let folder = match tempfile::Builder::new().prefix("gicc-run-").tempdir() {
        Ok(folder) => folder,
        Err(e) => {
            let diagnostic = Diagnostic::error(codes::UNWRITABLE_OUTPUT, "there is no place for a temporary folder")
                .cause(e.to_string())
                .cure("set TMPDIR to a folder that you may write to");
            return refused(&[diagnostic], messages, exit::USAGE);
        }
    };
    let code = compile::example_into(&example, folder.path(), &args.code, messages, start);
    if code != exit::OK {
        return code;
    }
    execute(folder.path(), example.launch, args, messages)
}

fn example(args: &RunArgs) -> Result<Example, Diagnostic> {
    if !args.input.is_dir() {
        return Example::of_file(&args.input, args.launch.as_deref());
    }
    let mut example = Example::in_folder(&args.input)?;
    if let Some(launch) = &args.launch {
        example.launch.clone_from(launch);
    }
    Ok(example)
}

fn refused(diagnostics: &[Diagnostic], messages: &Messages, code: u8) -> u8 {
    diagnostics.iter().for_each(|d| messages.diagnostic(d));
    code
}

/// Runs a compiled folder. `launch` is the description where the user knows it, for messages.
fn execute(folder: &Path, launch: PathBuf, args: &RunArgs, messages: &Messages) -> u8 {
    let mut options = RunOptions::new(match args.target {
        Target::Sim => gicc_host::Target::Sim,
        Target::Cuda => gicc_host::Target::Cuda,
    });
    options.pes = args.pes;
    options.seed = args.seed;
    options.runs = args.runs;
    options.schedules = args.schedules;
    options.first_schedule = args.schedule.unwrap_or(0);
    options.memory = match args.memory {
        Memory::Functional => gicc_host::Memory::Functional,
        Memory::Weak => gicc_host::Memory::Weak,
    };
    options.races = args.races;
    options.explore = args.explore;
    options.jobs = args.jobs.map(|n| n as usize);
    options.description = Some(launch);
    options.bounds =
        Bounds { device: args.timeout, host: args.host_timeout.unwrap_or_else(|| Bounds::host_for(args.timeout)) };
    match gicc_host::run_folder(folder, &options, &mut |_| {}) {
        Ok(report) => {
            crate::print(&(report_text(&report, args.json) + "\n"), messages);
            report.outcome.exit_code()
        }
        Err(error) => refused(&host::diagnostics(&error), messages, gicc_host::exit_code(&error)),
    }
}

fn report_text(report: &RunReport, json: bool) -> String {
    if json { serde_json::to_string_pretty(report).unwrap_or_else(|e| e.to_string()) } else { report.text() }
}
