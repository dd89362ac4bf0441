//! `gicc-launch`: runs a compiled folder on GPUs or in the simulator, and times benchmark kernels. It links neither LLVM
//! nor CUDA, so that it runs on GPU machines as it is.

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use gicc_host::bench::{BenchOptions, bench_folders};
use gicc_host::team::Bounds;
use gicc_host::together::load_together;
use gicc_host::{HostError, Memory, Outcome, RunOptions, Target, exit_code, run_folder};
use indicatif::{ProgressBar, ProgressStyle};

const CODES: &str = "Exit codes:
  0  every number is right
  1  a number is wrong, or something wrote past the end of a buffer
  2  it could not run: a wrong launch description, a missing file, too few GPUs
  3  the kernel failed on the device: an error word, which says who waited for whom, on what, for
     which value; a fault; a deadlock; no end
  4  every number is right, but accesses race (with --races)";

/// Run a compiled folder of gicc on random data and compare every output with its reference.
#[derive(Parser)]
#[command(version, after_help = CODES, args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
struct Command {
    #[command(subcommand)]
    other: Option<Other>,
    #[command(flatten)]
    run: Run,
}

#[derive(Subcommand)]
enum Other {
    /// Time the benchmark kernel of compiled folders on GPUs, in turns, over the swept parameters of [bench]
    Bench(Bench),
    /// Load the modules of compiled folders into one team, as a program with several modules does, and launch nothing: those
    /// that do not fit each other are refused
    Load(Load),
}

#[derive(Args)]
struct Run {
    /// The compiled folder: module.json, its images and launch.toml
    #[arg(required = true)]
    folder: Option<PathBuf>,
    /// What runs the kernels
    #[arg(long, value_enum, default_value_t = TargetName::Cuda)]
    target: TargetName,
    /// Number of PEs, one GPU each; otherwise the first in launch.toml
    #[arg(long, value_name = "N")]
    pes: Option<u32>,
    /// Seed of the first run's random data; run k has SEED + k. Otherwise a fresh one, which is printed
    #[arg(long, value_name = "SEED")]
    seed: Option<u64>,
    /// Runs, each with new random data
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,
    /// Schedules of the simulator for the data of each run
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    schedules: u32,
    /// Only this schedule of the simulator
    #[arg(long, value_name = "N")]
    schedule: Option<u32>,
    /// How the simulator's memory behaves
    #[arg(long, value_enum, default_value_t = MemoryName::Functional)]
    memory: MemoryName,
    /// Races that weak memory shows make a run fail, with exit code 4
    #[arg(long)]
    races: bool,
    /// Go through all choices of the simulator with weak memory, in at most so many runs: for small kernels
    #[arg(long, value_name = "RUNS", num_args = 0..=1, default_missing_value = "100000")]
    explore: Option<u64>,
    /// Schedules that run side by side; otherwise as many as there are cores
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    jobs: Option<u32>,
    /// A launch description elsewhere than in the folder
    #[arg(long, value_name = "FILE")]
    launch: Option<PathBuf>,
    #[command(flatten)]
    bounds: BoundArguments,
    /// Print the report as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
struct Bench {
    /// Compiled folders whose launch.toml has a [bench] with equal sweeps; ratios are to the first
    #[arg(required = true)]
    folders: Vec<PathBuf>,
    /// Number of PEs, one GPU each; otherwise the first in launch.toml
    #[arg(long, value_name = "N")]
    pes: Option<u32>,
    /// Seed of random parameters and contents
    #[arg(long, value_name = "SEED")]
    seed: Option<u64>,
    /// Counted launches of each combination; the median is shown. Otherwise as in launch.toml
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..))]
    repeats: Option<u32>,
    /// Record so many launches as a graph and time replays of it: what a kernel of its own costs in a program. Otherwise as in
    /// launch.toml
    #[arg(long, value_name = "LAUNCHES", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    graph: Option<u32>,
    /// Values of a parameter, instead of those in launch.toml; may be given for several
    #[arg(long, value_name = "NAME=N,N…", value_parser = swept)]
    sweep: Vec<(String, Vec<i64>)>,
    /// Time this kernel only; may be given several times
    #[arg(long, value_name = "NAME")]
    kernel: Vec<String>,
    #[command(flatten)]
    bounds: BoundArguments,
    /// Print a JSON object a line instead of the table, each as soon as it is measured
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
struct Load {
    /// Compiled folders, in the order in which their modules are loaded
    #[arg(required = true)]
    folders: Vec<PathBuf>,
    /// What would run the kernels
    #[arg(long, value_enum, default_value_t = TargetName::Cuda)]
    target: TargetName,
    /// Number of PEs, one GPU each
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..))]
    pes: u32,
}

#[derive(Args)]
struct BoundArguments {
    /// Bound of each wait on the device, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = seconds)]
    timeout: Duration,
    /// Bound of the host's wait for a launch, in seconds; otherwise four times --timeout and 20 s
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    host_timeout: Option<Duration>,
}

impl BoundArguments {
    fn bounds(&self) -> Bounds {
        Bounds { device: self.timeout, host: self.host_timeout.unwrap_or_else(|| Bounds::host_for(self.timeout)) }
    }
}

#[derive(Clone, Copy, ValueEnum)]
enum TargetName {
    /// GPUs, through the CUDA driver
    Cuda,
    /// The simulator
    Sim,
}

impl TargetName {
    const fn target(self) -> Target {
        match self {
            TargetName::Cuda => Target::Cuda,
            TargetName::Sim => Target::Sim,
        }
    }
}

#[derive(Clone, Copy, ValueEnum)]
enum MemoryName {
    /// Every access takes effect at once
    Functional,
    /// As the PTX memory model allows
    Weak,
}

/// A positive number of seconds, up to a day.
fn seconds(text: &str) -> Result<Duration, String> {
    match text.parse::<f64>() {
        Ok(s) if s > 0.0 && s <= 86400.0 => Ok(Duration::from_secs_f64(s)),
        _ => Err("a number of seconds is greater than 0 and at most 86400".into()),
    }
}

/// A parameter with values.
fn swept(text: &str) -> Result<(String, Vec<i64>), String> {
    let wrong = || format!("`{text}` is no list of values: write bytes=1024,4096");
    let (name, values) = text.split_once('=').ok_or_else(wrong)?;
    let values: Result<Vec<i64>, _> = values.split(',').map(str::parse).collect();
    Ok((name.to_owned(), values.map_err(|_| wrong())?))
}

fn main() -> ExitCode {
    let command = Command::parse();
    let result = match (command.other, &command.run.folder) {
        (Some(Other::Bench(bench)), _) => time(&bench),
        (Some(Other::Load(load)), _) => together(&load),
        (None, Some(folder)) => check(folder, &command.run),
        (None, None) => Err(HostError::Misuse("no folder is named".into())),
    };
    result.unwrap_or_else(|error| {
        eprintln!("{}", paint(&error.to_string(), "error", RED, std::io::stderr().is_terminal()));
        ExitCode::from(exit_code(&error))
    })
}

fn check(folder: &Path, run: &Run) -> Result<ExitCode, HostError> {
    let options = RunOptions {
        target: run.target.target(),
        pes: run.pes,
        seed: run.seed,
        runs: run.runs,
        schedules: if run.schedule.is_some() { 1 } else { run.schedules },
        first_schedule: run.schedule.unwrap_or(0),
        memory: match run.memory {
            MemoryName::Functional => Memory::Functional,
            MemoryName::Weak => Memory::Weak,
        },
        races: run.races,
        explore: run.explore,
        jobs: run.jobs.map(|n| n as usize),
        bounds: run.bounds.bounds(),
        description: run.launch.clone(),
    };
    let bar = progress_bar(u64::from(run.runs), "runs");
    let report = run_folder(folder, &options, &mut |done| bar.set_position(done.into()));
    bar.finish_and_clear();
    let report = report?;
    if run.json {
        print(&serde_json::to_string_pretty(&report).unwrap_or_default());
    } else {
        let (word, colour) = match report.outcome {
            Outcome::Right if report.compared.is_empty() => ("ended", GREEN),
            Outcome::Right => ("right", GREEN),
            Outcome::Wrong => ("WRONG", RED),
            Outcome::DeviceError => ("DEVICE ERROR", RED),
            Outcome::Racy => ("RACY", RED),
        };
        let text = paint(&report.text(), word, colour, std::io::stdout().is_terminal());
        let devices: Vec<String> = report.devices.iter().map(|d| format!("  {d}")).collect();
        print(&[vec![text], devices].concat().join("\n"));
    }
    Ok(ExitCode::from(report.outcome.exit_code()))
}

fn together(load: &Load) -> Result<ExitCode, HostError> {
    print(&load_together(&load.folders, load.target.target(), load.pes)?.join("\n"));
    Ok(ExitCode::SUCCESS)
}

fn time(bench: &Bench) -> Result<ExitCode, HostError> {
    let options = BenchOptions {
        pes: bench.pes,
        seed: bench.seed,
        repeats: bench.repeats,
        graph: bench.graph,
        sweep: bench.sweep.clone(),
        kernels: bench.kernel.clone(),
        bounds: bench.bounds.bounds(),
    };
    let bar = progress_bar(2, "combinations");
    let report = bench_folders(&bench.folders, &options, &mut |report, all| {
        bar.set_length(all as u64);
        bar.set_position(report.rows.len() as u64);
        if let Some(row) = report.rows.last().filter(|_| bench.json) {
            print(&report.json_line(row));
        }
    });
    bar.finish_and_clear();
    let report = report?;
    if !bench.json {
        print(&format!("{}\n{}", report.devices.join("\n"), report.text()));
    }
    for wrong in &report.wrong {
        eprintln!("{}", paint(&format!("WRONG: {wrong}"), "WRONG", RED, std::io::stderr().is_terminal()));
    }
    Ok(ExitCode::from(if report.wrong.is_empty() { 0 } else { Outcome::Wrong.exit_code() }))
}

/// Prints a line; a reader that has gone away is no error.
fn print(text: &str) {
    let _ = writeln!(std::io::stdout(), "{text}");
}

/// A bar on standard error, where that is a terminal and there is more than one step.
fn progress_bar(steps: u64, of: &str) -> ProgressBar {
    if steps < 2 || !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template(&format!("{{bar:40}} {{pos}}/{{len}} {of} {{eta}}"));
    ProgressBar::new(steps).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

const RED: &str = "\x1b[1;31m";
const GREEN: &str = "\x1b[1;32m";

/// Colours `word` at the start of a line, on a terminal only.
fn paint(text: &str, word: &str, colour: &str, terminal: bool) -> String {
    if !terminal || std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty()) {
        return text.to_owned();
    }
    let paint = |line: &str| match line.strip_prefix(word) {
        Some(rest) => format!("{colour}{word}\x1b[0m{rest}"),
        None => line.to_owned(),
    };
    text.lines().map(paint).collect::<Vec<_>>().join("\n")
}
