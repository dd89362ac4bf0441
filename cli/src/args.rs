//! The command line. Everything that a user can say stands here, with what `--help` tells about it.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::PossibleValue;
use clap::{Args, Parser, Subcommand, ValueEnum};
use gicc::analysis::annotation::Assume;
use gicc::driver::{Arch, Emit, Options, Stage};

/// The command line.
#[derive(Parser, Debug)]
#[command(
    name = "gicc",
    version,
    about = "Compile kernels whose communication is started by the GPU",
    long_about = LONG_ABOUT,
    after_long_help = AFTER_LONG_HELP,
    after_help = "`gicc --help` says more: examples, stages, exit codes, environment.",
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    arg_required_else_help = true,
    max_term_width = 100
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    #[command(flatten)]
    pub(crate) compile: CompileArgs,
}

const LONG_ABOUT: &str = "\
Compile kernels whose communication is started by the GPU.

gicc takes CUDA C++ (.cu, .cuh, .cpp, .cc), MLIR (.mlir), LLVM IR (.ll) or bitcode (.bc) and makes PTX, machine code, or a program \
for the simulator of several GPUs. No CUDA toolkit is needed to compile, and no GPU to run.";

const AFTER_LONG_HELP: &str = "\
Examples:
  gicc kernel.cu -o kernel.ptx               CUDA C++ to PTX
  gicc kernel.cu -o kernel.cubin             and through ptxas to machine code
  gicc kernel.cu --arch sm_100a -o -         PTX for another architecture, to standard output
  gicc kernel.cu --stop-after place-fences -o -
                                             the IR in which fences are placed, as text
  gicc kernel.cu --dump-ir-after link --dump-ir-after place-fences
                                             the IR before and after, to standard error
  gicc kernel.cu --remarks human             each decision about a fence, with its line
  gicc kernel.cu --check-errors strict       a kernel that ends where a wait failed
  gicc examples/01_put_signal -o build/01    an example's folder to a folder that runs without gicc
  gicc run examples/01_put_signal --pes 4    compile, run on four simulated GPUs, check
  gicc check kernel.cu                       is an order missing, too narrow, needless
  gicc doctor                                what is here, and how to get what is missing

Stages, in order (for --stop-after and --dump-ir-after):
  mlir           MLIR input as it was read
  mlir-expand    MLIR input: collectives are expanded
  mlir-lower     MLIR input: all is in LLVM's dialects
  frontend       LLVM IR as the front end made or read it
  verify         intrinsics, scopes and constant arguments are checked
  materialise    collectives are functions that were made for their calls
  link           the device runtime is linked and inlined; order is required, not yet made
  place-fences   fences and orderings are placed; GPU and simulator fork here
  lower          orderings are PTX instructions
  optimize       LLVM's O3 has run
  ptx            PTX text
  cubin          machine code, by ptxas

Exit codes of a compilation:
  0  done; nothing was printed but what was asked for, and warnings
  1  the input was refused; nothing was written
  2  wrong usage, a part that is not built yet, a missing program, an output that cannot be written
  3  an internal error of gicc or LLVM; nothing was written

Environment (each names a place outright; an empty value means: do not use one):
  GICC_CLANG      clang 22
  GICC_PTXAS      NVIDIA's assembler, for cubin
  GICC_LIBDEVICE  NVIDIA's mathematical functions, libdevice.10.bc
  GICC_CUDA       a folder with CUDA's headers in include/; without one gicc supplies its own
  GICC_CACHE_DIR  where compiled collectives are kept. Else: gicc in XDG_CACHE_HOME or ~/.cache
  NO_COLOR        no colours";

/// What else the command does.
#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Compile an example or a kernel, run it on several PEs, and check its numbers
    Run(RunArgs),
    /// Say what was found of LLVM, ptxas, CUDA and GPUs, what is missing, and how to get it
    Doctor(DoctorArgs),
    /// Judge litmus tests by the PTX memory model, and run them in the simulator's weak memory
    Litmus(LitmusArgs),
    /// Find missing, too narrow and needless ordering, each with an execution that goes wrong
    Check(CheckArgs),
    /// Show the source with each communication line annotated, and what orders it
    Explain(ExplainArgs),
    /// Say what is kept between compilations, compile all collectives ahead, or remove it all
    Cache(CacheArgs),
    /// The hardware model: sweeps, tables and plots (not built yet)
    Sim(NotBuiltArgs),
}

/// Arguments of a subcommand that does not exist yet: whatever they are, the answer is the same.
#[derive(Args, Debug)]
#[command(disable_help_flag = true)]
pub(crate) struct NotBuiltArgs {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    pub(crate) rest: Vec<OsString>,
}

/// How messages look.
#[derive(Args, Debug, Clone)]
pub(crate) struct MessageArgs {
    /// Errors and warnings for people, or as one JSON object a line; to standard error
    #[arg(long, value_name = "FORM", default_value = "human")]
    pub(crate) diagnostics: Form,
    /// Colours; `auto` means only on a terminal
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: Color,
    /// Say what is done (twice: in detail)
    #[arg(short, long, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
}

/// What front end and passes are told.
#[derive(Args, Debug, Clone)]
pub(crate) struct CodeArgs {
    /// Architecture of the GPU
    #[arg(long, value_name = "ARCH", default_value = Arch::DEFAULT.name)]
    pub(crate) arch: ArchArg,
    /// Look for included files here too (repeatable)
    #[arg(short = 'I', value_name = "DIR")]
    pub(crate) include: Vec<PathBuf>,
    /// Define a macro, NAME or NAME=VALUE (repeatable)
    #[arg(short = 'D', value_name = "NAME[=VALUE]")]
    pub(crate) define: Vec<String>,
    /// Standard of C++ that the sources are written in, as clang names it
    #[arg(long = "std", value_name = "STANDARD", default_value = Options::STANDARD)]
    pub(crate) standard: String,
    /// The sources name device functions and variables of each other, or of nobody (nvcc's -rdc=true)
    #[arg(long)]
    pub(crate) rdc: bool,
    /// Say what was decided and why, to standard error
    #[arg(long, value_name = "FORM", default_value = "off")]
    pub(crate) remarks: Remarks,
    /// Say how long each stage took, to standard error
    #[arg(long)]
    pub(crate) time_stages: bool,
    /// Compile everything anew, and keep nothing for the next compilation
    #[arg(long)]
    pub(crate) no_cache: bool,
    /// Run LLVM's verifier after each stage
    #[arg(long)]
    pub(crate) verify_each: bool,
    /// Engine that carries out communication
    #[arg(long, value_name = "ENGINE", default_value = "direct")]
    pub(crate) engine: Engine,
    /// Find communication in plain memory operations (not built yet)
    #[arg(long)]
    pub(crate) implicit: bool,
    /// When a kernel looks whether its waits failed
    #[arg(long, value_name = "HOW", default_value = "warn")]
    pub(crate) check_errors: CheckErrors,
}

/// The main job.
#[derive(Args, Debug)]
pub(crate) struct CompileArgs {
    /// Sources (.cu, .cuh, .cpp, .cc, .mlir, .ll, .bc), linked in order; or one example's folder
    #[arg(required = true, value_name = "INPUT")]
    pub(crate) inputs: Vec<PathBuf>,
    /// Output; `-` is standard output. Else: the first input's name with the product's ending, in the current folder
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
    /// Product. Else: what OUT's ending says (.mlir, .ll, .bc, .ptx, .cubin, .so), or PTX
    #[arg(long, value_name = "WHAT")]
    pub(crate) emit: Option<EmitArg>,
    /// Stop after this stage (listed below); the product is its IR
    #[arg(long, value_name = "STAGE", hide_possible_values = true)]
    pub(crate) stop_after: Option<StageArg>,
    /// Show the IR after this stage (repeatable)
    #[arg(long, value_name = "STAGE", hide_possible_values = true)]
    pub(crate) dump_ir_after: Vec<StageArg>,
    /// Put what --dump-ir-after shows into files in this folder instead
    #[arg(long, value_name = "DIR", requires = "dump_ir_after")]
    pub(crate) dump_dir: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) code: CodeArgs,
    #[command(flatten)]
    pub(crate) messages: MessageArgs,
}

/// `gicc run`.
#[derive(Args, Debug)]
#[command(after_help = RUN_AFTER_HELP)]
pub(crate) struct RunArgs {
    /// An example's folder, a compiled folder, or a kernel's source
    #[arg(value_name = "FOLDER|FILE")]
    pub(crate) input: PathBuf,
    /// Number of PEs (simulated GPUs, or real ones). Else: the first that the launch description names
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) pes: Option<u32>,
    /// Launch description. Else: launch.toml beside the kernel
    #[arg(long, value_name = "SPEC.toml")]
    pub(crate) launch: Option<PathBuf>,
    /// Where to run
    #[arg(long, value_name = "WHERE", default_value = "sim")]
    pub(crate) target: Target,
    /// Seed of the random inputs and of the simulator's schedule
    #[arg(long, value_name = "S")]
    pub(crate) seed: Option<u64>,
    /// Run so many times, each with other random inputs
    #[arg(long, value_name = "R", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) runs: u32,
    /// On the simulator: try so many schedules of each run
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) schedules: u32,
    /// On the simulator: only the schedule of this number, as a failure names it
    #[arg(long, value_name = "N", conflicts_with = "schedules")]
    pub(crate) schedule: Option<u32>,
    /// On the simulator: how memory behaves
    #[arg(long, value_name = "HOW", default_value = "functional")]
    pub(crate) memory: Memory,
    /// With weak memory: races make a run fail (exit code 4)
    #[arg(long)]
    pub(crate) races: bool,
    /// On the simulator, for small kernels: go through all choices of weak memory, in at most so many runs
    #[arg(long, value_name = "RUNS", num_args = 0..=1, default_missing_value = "100000")]
    pub(crate) explore: Option<u64>,
    /// On the simulator: schedules that run side by side. Else: as many as there are cores
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) jobs: Option<u32>,
    /// Bound of each wait in a kernel, in seconds (on the simulator: of its virtual time)
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = seconds)]
    pub(crate) timeout: Duration,
    /// Bound of a whole launch, in seconds. Else: four times --timeout and 20 s
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) host_timeout: Option<Duration>,
    /// Report as one JSON object, to standard output
    #[arg(long)]
    pub(crate) json: bool,
    /// Write a trace (not built yet)
    #[arg(long, value_name = "out.json")]
    pub(crate) trace: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) code: CodeArgs,
    #[command(flatten)]
    pub(crate) messages: MessageArgs,
}

const RUN_AFTER_HELP: &str = "\
Exit codes:
  0  every run gave the expected numbers
  1  wrong numbers, or the kernel was refused
  2  it could not be run: wrong usage, a missing program, a wrong launch description, no such GPU
  3  a kernel left an error word, or gicc itself failed
  4  every run gave the expected numbers, but accesses race (with --races)";

/// A positive number of seconds, up to a day.
fn seconds(text: &str) -> Result<Duration, String> {
    match text.parse::<f64>() {
        Ok(s) if s > 0.0 && s <= 86400.0 => Ok(Duration::from_secs_f64(s)),
        _ => Err("a number of seconds is greater than 0 and at most 86400".into()),
    }
}

/// `gicc doctor`.
#[derive(Args, Debug)]
pub(crate) struct DoctorArgs {
    /// Report as JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) messages: MessageArgs,
}

/// `gicc cache`.
#[derive(Args, Debug)]
#[command(after_help = CACHE_AFTER_HELP)]
pub(crate) struct CacheArgs {
    /// What to do. Else: say where the cache is and what is in it
    #[command(subcommand)]
    pub(crate) action: Option<CacheAction>,
    /// Architecture of the GPU
    #[arg(long, value_name = "ARCH", default_value = Arch::DEFAULT.name, global = true)]
    pub(crate) arch: ArchArg,
    /// Report as one JSON object, to standard output
    #[arg(long, global = true)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) messages: MessageArgs,
}

/// What `gicc cache` does.
#[derive(Subcommand, Debug)]
pub(crate) enum CacheAction {
    /// Compile every collective for the architecture, so that no later compilation has to
    Fill(FillArgs),
    /// Remove what this build of gicc and others have kept
    Clear,
}

/// `gicc cache fill`.
#[derive(Args, Debug)]
pub(crate) struct FillArgs {
    /// Collectives that are compiled side by side. Else: as many as there are cores
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) jobs: Option<u32>,
}

const CACHE_AFTER_HELP: &str = "\
Most of a collective's code depends on the collective, its elements, operation, group and algorithm, and on nothing else of
the program. gicc compiles that once, when it is called for the first time, and keeps its PTX in a folder of yours; or ahead:

  gicc cache                         where the cache is, and what is in it
  gicc cache fill                    compile every collective for the default architecture
  gicc cache fill --arch sm_100a     for another one
  gicc cache clear                   remove everything

The PTX of a program is the same whether it came from the cache or not. Another build of gicc or of LLVM has a cache of its own.
Environment: GICC_CACHE_DIR names the folder; empty: keep nothing. `gicc --no-cache` compiles one program without.";

/// `gicc check`.
#[derive(Args, Debug)]
#[command(after_help = "`gicc check --help` says more.", after_long_help = CHECK_AFTER_HELP, long_about = CHECK_ABOUT)]
pub(crate) struct CheckArgs {
    /// Sources (.cu, .cuh, .cpp, .cc, .ll, .bc), checked together; or one example's folder
    #[arg(required_unless_present = "explain", value_name = "INPUT")]
    pub(crate) inputs: Vec<PathBuf>,
    /// Text with source lines, one JSON object, or a SARIF 2.1.0 log; to standard output
    #[arg(long, value_name = "FORM", default_value = "human")]
    pub(crate) format: CheckForm,
    /// Let findings of this kind fail the check too: a code, its name, `performance` or `notes` (repeatable)
    #[arg(long, value_name = "KIND")]
    pub(crate) deny: Vec<DenyArg>,
    /// Say what a code means, with an example and the cure; `all` lists the codes
    #[arg(long, value_name = "CODE", conflicts_with = "inputs")]
    pub(crate) explain: Option<String>,
    #[command(flatten)]
    pub(crate) examined: ExaminationArgs,
    #[command(flatten)]
    pub(crate) code: CodeArgs,
    #[command(flatten)]
    pub(crate) messages: MessageArgs,
}

const CHECK_ABOUT: &str = "\
Find missing, too narrow and needless ordering, each with an execution that goes wrong.

Each kernel is executed in small launches (two or three PEs, one or two blocks, a few threads) on every path. Where two PEs \
access the same memory, what they do becomes a program of the PTX memory model, which says whether the accesses can race. \
For each race the cures are tried until it is gone; the finding tells the one that helped, and its line.";

const CHECK_AFTER_HELP: &str = "\
What is told:
  C01xx  correctness: the program can compute something wrong (missing release, acquire or barrier, narrow scope, …)
  C02xx  performance: a fence or scope that costs more than it needs to
  C03xx  notes: what the program or the check takes for granted (kernel boundaries, packets, what was not decided)

Examples:
  gicc check kernel.cu                          what is wrong, with source lines
  gicc check kernel.cu --format sarif           for a code review
  gicc check kernel.cu --deny performance       fail for needless fences too
  gicc check --explain C0105                    one code, with an example and the cure
  gicc check --explain all                      every code in one line

Exit codes:
  0  nothing is wrong; findings of performance and notes do not count unless --deny names them
  1  a finding of correctness, or of a kind that --deny names
  2  it could not be checked";

/// How a report is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CheckForm {
    Human,
    Json,
    Sarif,
}

/// A kind of findings.
#[derive(Clone, Debug)]
pub(crate) struct DenyArg(pub(crate) Vec<&'static gicc::check::code::Code>);

impl std::str::FromStr for DenyArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        use gicc::check::code::{ALL, Level, find};
        let of = |level| ALL.iter().copied().filter(|code| code.level == level).collect();
        match text {
            "performance" => Ok(DenyArg(of(Level::Performance))),
            "notes" => Ok(DenyArg(of(Level::Note))),
            _ => find(text).map(|code| DenyArg(vec![code])).ok_or_else(|| {
                "a kind is a code (C0201), its name (fence-per-thread), `performance` or `notes`; \
                 `gicc check --explain all` lists the codes"
                    .to_owned()
            }),
        }
    }
}

/// `gicc litmus`.
#[derive(Args, Debug)]
pub(crate) struct LitmusArgs {
    /// Litmus tests for PTX, in gicc's form or the published one: files, or folders of .litmus files
    #[arg(required = true, value_name = "FILE|FOLDER")]
    pub(crate) inputs: Vec<PathBuf>,
    /// Who judges: the axioms, the simulator (which outcomes it reaches, and whether all are allowed), or both
    #[arg(long, value_name = "ENGINE", default_value = "both")]
    pub(crate) engine: LitmusEngine,
    /// Runs of the simulator for one test; fewer where all executions were seen before
    #[arg(long, value_name = "RUNS", default_value_t = 20_000)]
    pub(crate) limit: u64,
    /// Report as a JSON object a file
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) messages: MessageArgs,
}

/// What an examination is told, for `gicc explain` and `gicc check`.
#[derive(Args, Debug, Clone)]
pub(crate) struct ExaminationArgs {
    /// What counts as communication without an annotation: nothing but known calls (annotated), what shows itself by system
    /// scope, multicast or its tables of pointers (evidence), or every pointer of the arguments (aggressive)
    #[arg(long, value_name = "HOW", default_value = "evidence")]
    pub(crate) assume: AssumeArg,
    /// Annotations in a file, for a source that is not to be edited (repeatable)
    #[arg(long, value_name = "FILE.toml")]
    pub(crate) annotations: Vec<PathBuf>,
}

/// How much is believed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AssumeArg(pub(crate) Assume);

impl ValueEnum for AssumeArg {
    fn value_variants<'a>() -> &'a [Self] {
        const ALL: [AssumeArg; Assume::ALL.len()] = {
            let mut all = [AssumeArg(Assume::Evidence); Assume::ALL.len()];
            let mut n = 0;
            while n < all.len() {
                all[n] = AssumeArg(Assume::ALL[n].1);
                n += 1;
            }
            all
        };
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Assume::ALL.iter().find(|(_, a)| *a == self.0).map(|(name, _)| PossibleValue::new(*name))
    }
}

/// `gicc explain`.
#[derive(Args, Debug)]
pub(crate) struct ExplainArgs {
    /// Sources (.cu, .cuh, .cpp, .cc, .ll, .bc), linked in order
    #[arg(required = true, value_name = "INPUT")]
    pub(crate) inputs: Vec<PathBuf>,
    /// Draw the communication graph, as the file's ending says: .dot or .svg
    #[arg(long, value_name = "FILE.svg|.dot")]
    pub(crate) graph: Option<PathBuf>,
    /// The annotated source, or what is known of each site as JSON; to standard output
    #[arg(long, value_name = "FORM", default_value = "human")]
    pub(crate) format: ReportForm,
    #[command(flatten)]
    pub(crate) examined: ExaminationArgs,
    #[command(flatten)]
    pub(crate) code: CodeArgs,
    #[command(flatten)]
    pub(crate) messages: MessageArgs,
}

/// How `gicc explain` writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportForm {
    /// The source with notes
    Human,
    /// One JSON object
    Json,
}

/// Who judges litmus tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LitmusEngine {
    /// The axioms of the PTX memory model, over all executions
    Axioms,
    /// The simulator's weak memory
    Sim,
    /// Both
    Both,
}

/// How the simulator's memory behaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Memory {
    /// Every access takes effect at once
    Functional,
    /// As the PTX memory model allows: what nothing orders may be seen late
    Weak,
}

/// How diagnostics are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Form {
    Human,
    Json,
}

/// How remarks are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Remarks {
    Human,
    Json,
    Off,
}

/// When there are colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    Auto,
    Always,
    Never,
}

/// Where kernels run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Target {
    /// On the simulator
    Sim,
    /// On this machine's GPUs
    Cuda,
}

/// The engines of the design; all but one are refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Engine {
    /// The issuing threads store over NVLink
    Direct,
    /// A resident block copies (not built yet)
    Sm,
    /// A host thread and the copy engine (not built yet)
    Proxy,
    /// Other nodes, through NVSHMEM (not built yet)
    Nvshmem,
    /// The modelled engine (not built yet)
    Sim,
}

/// When errors of the device are checked in kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CheckErrors {
    /// Behind each wait, by the whole group: the kernel calls its fall-back, if it has one, and ends
    Strict,
    /// Where the kernel does it; one that waits and never does is warned of
    Warn,
    /// Where the kernel does it
    Off,
}

/// [`Emit`] on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EmitArg(pub(crate) Emit);

impl ValueEnum for EmitArg {
    fn value_variants<'a>() -> &'a [Self] {
        &[
            EmitArg(Emit::Llvm),
            EmitArg(Emit::Bitcode),
            EmitArg(Emit::Ptx),
            EmitArg(Emit::Cubin),
            EmitArg(Emit::Sim),
            EmitArg(Emit::Mlir),
        ]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.0.name()).help(match self.0 {
            Emit::Mlir => "MLIR as text, of MLIR input",
            Emit::Llvm => "LLVM IR as text",
            Emit::Bitcode => "LLVM bitcode",
            Emit::Ptx => "PTX text",
            Emit::Cubin => "machine code, by ptxas",
            Emit::Sim => "a shared object for the simulator",
        }))
    }
}

/// [`Stage`] on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StageArg(pub(crate) Stage);

impl ValueEnum for StageArg {
    fn value_variants<'a>() -> &'a [Self] {
        const VARIANTS: &[StageArg] = &{
            let mut all = [StageArg(Stage::Frontend); Stage::ALL.len()];
            let mut i = 0;
            while i < all.len() {
                all[i] = StageArg(Stage::ALL[i]);
                i += 1;
            }
            all
        };
        VARIANTS
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.0.name()).help(self.0.about()))
    }
}

/// [`Arch`] on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ArchArg(pub(crate) Arch);

impl ValueEnum for ArchArg {
    fn value_variants<'a>() -> &'a [Self] {
        const VARIANTS: &[ArchArg] = &{
            let mut all = [ArchArg(Arch::DEFAULT); Arch::ALL.len()];
            let mut i = 0;
            while i < all.len() {
                all[i] = ArchArg(Arch::ALL[i]);
                i += 1;
            }
            all
        };
        VARIANTS
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.0.name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn help_lists_every_stage_as_the_driver_describes_it() {
        for stage in Stage::ALL {
            assert!(AFTER_LONG_HELP.contains(&format!("  {:<15}{}\n", stage.name(), stage.about())), "{stage:?}");
        }
    }

    #[test]
    fn every_product_is_on_the_command_line() {
        for emit in Emit::ALL {
            assert!(EmitArg::value_variants().contains(&EmitArg(*emit)));
        }
    }
}
