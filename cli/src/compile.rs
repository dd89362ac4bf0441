//! The main job: sources become one output file, or an example's folder becomes a compiled folder.

use std::ffi::OsStr;
use std::io::{self, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use gicc::diagnostic::{Diagnostic, Span, codes};
use gicc::driver::folder::{Example, Staging, compile_example};
use gicc::driver::{Cache, CheckErrors, Emit, Observer, Options, Stage, Tools, compile, write_output};

use crate::args::{CodeArgs, CompileArgs};
use crate::isolate::{Ended, isolated};
use crate::messages::Messages;
use crate::{exit, host, not_built, panic};

/// What a reference may include, besides its own folder.
const REFERENCE_HEADERS: &[(&str, &str)] =
    &[("gicc/reference.h", include_str!("../../runtime/host/include/gicc/reference.h"))];

/// Where the product goes.
#[derive(Debug, PartialEq, Eq)]
enum Output {
    Stdout,
    File(PathBuf),
}

/// Does the main job; the exit code.
pub(crate) fn main_job(args: &CompileArgs, messages: &Messages, start: Instant) -> u8 {
    let refusal = not_built::in_code(&args.code);
    if let Some(diagnostic) = refusal {
        messages.diagnostic(&diagnostic);
        return exit::USAGE;
    }
    let result = match args.inputs.iter().find(|i| i.is_dir()) {
        Some(folder) => folder_job(folder, args, messages, start),
        None => file_job(args, messages, start),
    };
    result.unwrap_or_else(|diagnostic| {
        messages.diagnostic(&diagnostic);
        exit::of_error(diagnostic.code)
    })
}

fn file_job(args: &CompileArgs, messages: &Messages, start: Instant) -> Result<u8, Diagnostic> {
    let emit = product(args)?;
    let output = output(args, emit)?;
    let mut options = options(args.inputs.clone(), &args.code);
    options.emit = vec![emit];
    options.stop_after = args.stop_after.map(|s| s.0);
    options.dump_ir_after = args.dump_ir_after.iter().map(|s| s.0).collect();
    Ok(isolate(messages, &args.inputs, || {
        let mut reporter = Reporter::new(messages, args.dump_dir.as_deref());
        let result = compile(&options, &mut reporter);
        let code = match (result, messages.exit_code()) {
            (_, Some(code)) => code,
            (Err(_), None) => exit::INTERNAL,
            (Ok(compiled), None) => match write(&output, compiled.products.first().map_or(&[][..], |p| &p.1)) {
                Ok(()) => exit::OK,
                Err(diagnostic) => {
                    messages.diagnostic(&diagnostic);
                    exit::of_error(diagnostic.code)
                }
            },
        };
        if args.code.time_stages {
            reporter.times(start);
        }
        code
    }))
}

fn folder_job(folder: &Path, args: &CompileArgs, messages: &Messages, start: Instant) -> Result<u8, Diagnostic> {
    let wrong = |message: &str, cure: &str| {
        Err(Diagnostic::error(codes::BAD_OPTIONS, format!("`{}` is a folder: {message}", folder.display())).cure(cure))
    };
    if args.inputs.len() > 1 {
        return wrong("an example's folder is compiled alone", "name one folder, or only files");
    }
    if args.emit.is_some() || args.stop_after.is_some() || !args.dump_ir_after.is_empty() {
        return wrong(
            "an example's folder is compiled to all products",
            "for --emit, --stop-after and --dump-ir-after name the kernel's source itself",
        );
    }
    let Some(output) = args.output.as_deref().filter(|o| *o != Path::new("-")) else {
        return wrong("it is compiled to a folder, which needs a name", "name the folder to write, with -o");
    };
    let example = Example::in_folder(folder)?;
    let staging = Staging::beside(output)?;
    if let Err(diagnostics) = host::check_launch(&example.launch) {
        diagnostics.iter().for_each(|d| messages.diagnostic(d));
        return Ok(exit::REFUSED);
    }
    let code = example_into(&example, staging.path(), &args.code, messages, start);
    if code != exit::OK {
        return Ok(code);
    }
    if let Err(diagnostics) = host::check_folder(staging.path(), &example.launch) {
        diagnostics.iter().for_each(|d| messages.diagnostic(d));
        return Ok(exit::REFUSED);
    }
    staging.install()?;
    Ok(exit::OK)
}

/// Compiles an example into an empty folder; the exit code.
pub(crate) fn example_into(example: &Example, into: &Path, code: &CodeArgs, messages: &Messages, start: Instant) -> u8 {
    let options = options(Vec::new(), code);
    isolate(messages, std::slice::from_ref(&example.kernel), || {
        let mut reporter = Reporter::new(messages, None);
        let result = compile_example(example, into, &options, REFERENCE_HEADERS, &mut reporter);
        if code.time_stages {
            reporter.times(start);
        }
        match result {
            Ok(()) => exit::OK,
            Err(_) => messages.exit_code().unwrap_or(exit::INTERNAL),
        }
    })
}

pub(crate) fn options(inputs: Vec<PathBuf>, args: &CodeArgs) -> Options {
    let mut options = Options::new(inputs, Tools::discover());
    options.arch = args.arch.0;
    options.include_dirs.clone_from(&args.include);
    options.defines.clone_from(&args.define);
    options.standard.clone_from(&args.standard);
    options.relocatable = args.rdc;
    options.verify_each |= args.verify_each;
    options.cache = if args.no_cache { None } else { Cache::of_user() };
    options.check_errors = match args.check_errors {
        crate::args::CheckErrors::Strict => CheckErrors::Strict,
        crate::args::CheckErrors::Warn => CheckErrors::Warn,
        crate::args::CheckErrors::Off => CheckErrors::Off,
    };
    options
}

/// Runs a compilation in a child; an abort becomes an internal error.
pub(crate) fn isolate(messages: &Messages, inputs: &[PathBuf], work: impl FnOnce() -> u8) -> u8 {
    let (signal, words) = match isolated(work) {
        Ok(Ended::Exited(code, words)) => {
            // LLVM rarely says anything when all is well; what it says is not held back.
            if !words.trim().is_empty() {
                messages.line(words.trim_end());
            }
            return code;
        }
        Ok(Ended::Killed(signal, words)) => (signal, words),
        Err(e) => {
            messages.diagnostic(
                &Diagnostic::error(codes::INTERNAL, "no process for the compilation could be started")
                    .cause(e.to_string()),
            );
            return exit::INTERNAL;
        }
    };
    let input = inputs.first().map(|i| Span { file: i.display().to_string(), line: 0, column: 0 });
    messages.diagnostic(&killed(signal, &words).at(input));
    exit::INTERNAL
}

/// What to say about a compilation that a signal ended.
fn killed(signal: i32, words: &str) -> Diagnostic {
    let words = words.trim();
    let what = match signal {
        libc::SIGABRT => "LLVM gave up",
        libc::SIGSEGV | libc::SIGBUS => "it accessed memory that is not its own, or ran out of stack",
        libc::SIGKILL => "it was killed, perhaps for want of memory",
        _ => "it was ended from outside",
    };
    let said = match words.lines().rev().find(|l| l.starts_with("LLVM ERROR: ")).or_else(|| words.lines().last()) {
        Some(line) => format!("{what} (signal {signal}); its last words were: {line}"),
        None => format!("{what} (signal {signal})"),
    };
    Diagnostic::error(codes::INTERNAL, "internal error: the compilation broke off").cause(said).cure(panic::CURE)
}

/// The product that the options ask for.
fn product(args: &CompileArgs) -> Result<Emit, Diagnostic> {
    let asked = args.emit.map(|e| e.0);
    let by_name =
        args.output.as_deref().and_then(Path::extension).and_then(OsStr::to_str).and_then(Emit::from_extension);
    let Some(stage) = args.stop_after.map(|s| s.0) else {
        return Ok(asked.or(by_name).unwrap_or(Emit::Ptx));
    };
    let fits = |emit: &Emit| match emit {
        Emit::Mlir => stage.has_mlir(),
        Emit::Llvm | Emit::Bitcode => stage.has_ir(),
        Emit::Ptx => stage == Stage::Ptx,
        Emit::Cubin => stage == Stage::Cubin,
        Emit::Sim => false,
    };
    match asked {
        Some(emit) if !fits(&emit) => Err(Diagnostic::error(
            codes::BAD_OPTIONS,
            format!("`--emit {}` and `--stop-after {}` contradict each other", emit.name(), stage.name()),
        )
        .cure("leave one of them out")),
        Some(emit) => Ok(emit),
        None => Ok(by_name.filter(fits).unwrap_or(match stage {
            stage if stage.has_mlir() => Emit::Mlir,
            Stage::Ptx => Emit::Ptx,
            Stage::Cubin => Emit::Cubin,
            _ => Emit::Llvm,
        })),
    }
}

fn extension(emit: Emit) -> &'static str {
    match emit {
        Emit::Mlir => "mlir",
        Emit::Llvm => "ll",
        Emit::Bitcode => "bc",
        Emit::Ptx => "ptx",
        Emit::Cubin => "cubin",
        Emit::Sim => "so",
    }
}

/// Where the product goes; never over an input.
fn output(args: &CompileArgs, emit: Emit) -> Result<Output, Diagnostic> {
    let path = match args.output.as_deref() {
        Some(path) if path == Path::new("-") => {
            if !matches!(emit, Emit::Mlir | Emit::Llvm | Emit::Ptx) && io::stdout().is_terminal() {
                return Err(Diagnostic::error(
                    codes::BAD_OPTIONS,
                    format!("{} is no text, and standard output is a terminal", emit.name()),
                )
                .cure("name a file with -o"));
            }
            return Ok(Output::Stdout);
        }
        Some(path) => path.to_path_buf(),
        None => {
            let stem = args.inputs.first().and_then(|i| i.file_stem()).unwrap_or(OsStr::new("out"));
            PathBuf::from(stem).with_added_extension(extension(emit))
        }
    };
    // Without -o, only IR could take an input's name: no input ends like another product.
    let real = path
        .canonicalize()
        .ok()
        .filter(|_| args.output.is_some() || matches!(emit, Emit::Mlir | Emit::Llvm | Emit::Bitcode));
    if real.is_some() && args.inputs.iter().any(|i| i.canonicalize().ok() == real) {
        return Err(Diagnostic::error(
            codes::BAD_OPTIONS,
            format!("`{}` is an input and would be overwritten", path.display()),
        )
        .cure("name another output with -o"));
    }
    Ok(Output::File(path))
}

fn write(output: &Output, bytes: &[u8]) -> Result<(), Diagnostic> {
    if let Output::File(path) = output {
        return write_output(path, bytes);
    }
    let mut stdout = io::stdout().lock();
    match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
        // Whoever reads has read enough.
        Err(e) if e.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        Err(e) => {
            Err(Diagnostic::error(codes::UNWRITABLE_OUTPUT, "cannot write to standard output").cause(e.to_string()))
        }
        Ok(()) => Ok(()),
    }
}

/// Passes on what a compilation says.
pub(crate) struct Reporter<'a> {
    messages: &'a Messages,
    dump_dir: Option<&'a Path>,
    times: Vec<(Stage, Duration)>,
}

impl<'a> Reporter<'a> {
    pub(crate) fn new(messages: &'a Messages, dump_dir: Option<&'a Path>) -> Self {
        Reporter { messages, dump_dir, times: Vec::new() }
    }

    /// Writes the time of each stage and of everything.
    pub(crate) fn times(&self, start: Instant) {
        let ms = |d: Duration| d.as_secs_f64() * 1e3;
        for (stage, time) in &self.times {
            self.messages.line(format_args!("{:<13}{:9.1} ms", stage.name(), ms(*time)));
        }
        self.messages.line(format_args!("{:<13}{:9.1} ms", "in all", ms(start.elapsed())));
    }
}

impl Observer for Reporter<'_> {
    fn diagnostic(&mut self, diagnostic: Diagnostic) {
        self.messages.diagnostic(&diagnostic);
    }

    fn dump(&mut self, stage: Stage, text: &str) {
        let Some(dir) = self.dump_dir else {
            let comment = if stage.has_ir() { ";" } else { "//" };
            self.messages.line(format_args!("{comment} ----- after {} -----\n{}", stage.name(), text.trim_end()));
            return;
        };
        let number = Stage::ALL.iter().position(|s| *s == stage).unwrap_or(0);
        let ending = match stage {
            s if s.has_mlir() => "mlir",
            s if s.has_ir() => "ll",
            _ => "ptx",
        };
        let path = dir.join(format!("{number:02}-{}.{ending}", stage.name()));
        let made = std::fs::create_dir_all(dir).map_err(|e| {
            Diagnostic::error(codes::UNWRITABLE_OUTPUT, format!("cannot make the folder `{}`", dir.display()))
                .cause(e.to_string())
        });
        if let Err(diagnostic) = made.and_then(|()| write_output(&path, text.as_bytes())) {
            self.messages.diagnostic(&diagnostic);
        }
    }

    fn finished(&mut self, stage: Stage, elapsed: Duration) {
        self.times.push((stage, elapsed));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Cli;
    use clap::Parser as _;

    fn args(line: &str) -> CompileArgs {
        Cli::parse_from(line.split(' ')).compile
    }

    #[test]
    fn the_product_is_asked_for_named_or_ptx() {
        let of = |line: &str| product(&args(line)).map_err(|d| d.message);
        assert_eq!(of("gicc k.cu"), Ok(Emit::Ptx));
        assert_eq!(of("gicc k.cu -o x.cubin"), Ok(Emit::Cubin));
        assert_eq!(of("gicc k.cu -o x.weird"), Ok(Emit::Ptx));
        assert_eq!(of("gicc k.cu -o x.cubin --emit llvm"), Ok(Emit::Llvm));
        assert_eq!(of("gicc k.cu --stop-after link"), Ok(Emit::Llvm));
        assert_eq!(of("gicc k.mlir --stop-after mlir-lower"), Ok(Emit::Mlir));
        assert_eq!(of("gicc k.mlir -o x.mlir"), Ok(Emit::Mlir));
        assert_eq!(of("gicc k.cu --stop-after link -o x.bc"), Ok(Emit::Bitcode));
        assert_eq!(of("gicc k.cu --stop-after cubin"), Ok(Emit::Cubin));
        assert!(of("gicc k.cu --stop-after link --emit ptx").unwrap_err().contains("contradict"));
    }

    #[test]
    fn the_output_lies_in_the_current_folder_unless_named() {
        let of = |line: &str| output(&args(line), Emit::Ptx).map_err(|d| d.message);
        assert_eq!(of("gicc /a/b.c.cu"), Ok(Output::File("b.c.ptx".into())));
        assert_eq!(of("gicc /a/b.cu -o -"), Ok(Output::Stdout));
        assert_eq!(of("gicc /a/b.cu -o c"), Ok(Output::File("c".into())));
    }

    #[test]
    fn the_last_words_of_llvm_are_told() {
        let d = killed(libc::SIGABRT, "note\nLLVM ERROR: Unsupported \"agent\" scope\ntrailer\n");
        assert_eq!(d.code, codes::INTERNAL);
        assert!(d.cause.unwrap().ends_with("LLVM ERROR: Unsupported \"agent\" scope"));
        assert!(killed(libc::SIGSEGV, "").cause.unwrap().contains("stack"));
    }
}
