//! `gicc doctor`: what was found on this machine, what it is for, and how to get what is missing.

use std::path::Path;
use std::process::{Command, Stdio};

use gicc::driver::{Cache, Found, Options, Tools, units};
use serde::Serialize;

use crate::args::DoctorArgs;
use crate::exit;
use crate::messages::Messages;

/// The report, as `--json` prints it.
#[derive(Debug, Serialize)]
struct Report {
    /// gicc's own version.
    gicc: &'static str,
    /// Version of LLVM in this process.
    llvm: String,
    /// Whether CUDA C++ can be compiled to PTX and run on simulated GPUs.
    ready: bool,
    parts: Vec<Part>,
}

#[derive(Debug, Serialize)]
struct Part {
    name: String,
    state: State,
    /// Where it is, or what there is.
    #[serde(skip_serializing_if = "Option::is_none")]
    found: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<String>,
    purpose: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    cure: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum State {
    Found,
    /// Missing, and something works without it.
    Missing,
    /// Missing, and the main job needs it.
    Needed,
    NotUsed,
}

/// Prints the report; the exit code says whether the main job can be done.
pub(crate) fn doctor(args: &DoctorArgs, messages: &Messages) -> u8 {
    let (major, minor, patch) = inkwell::support::get_llvm_version();
    let mut parts: Vec<Part> = Tools::discover().report().into_iter().map(tool).collect();
    parts.push(collectives());
    parts.push(gpus());
    parts.push(Part {
        name: "NVSHMEM".to_owned(),
        state: State::NotUsed,
        found: None,
        version: None,
        purpose: "communication between machines; this version of gicc does not use it".to_owned(),
        cure: None,
    });
    let ready = parts.iter().all(|p| p.state != State::Needed);
    let report = Report { gicc: env!("CARGO_PKG_VERSION"), llvm: format!("{major}.{minor}.{patch}"), ready, parts };
    let text = if args.json {
        serde_json::to_string_pretty(&report).unwrap_or_else(|e| e.to_string())
    } else {
        human(&report)
    };
    crate::print(&format!("{}\n", text.trim_end()), messages);
    if ready { exit::OK } else { exit::USAGE }
}

fn tool(found: Found) -> Part {
    let version = found.path.as_deref().and_then(|p| version_of(found.name, p));
    // clang is called with options of version 22 and its bitcode is read by LLVM 22.
    let wrong = found.name == "clang" && version.as_deref().is_some_and(|v| !v.starts_with("22."));
    let state = match (&found.path, found.required) {
        (Some(_), _) if !wrong => State::Found,
        (_, true) => State::Needed,
        (_, false) => State::Missing,
    };
    Part {
        name: found.name.to_owned(),
        state,
        found: found.path.map(|p| p.display().to_string()),
        version,
        purpose: found.purpose.to_owned(),
        cure: (state != State::Found).then(|| found.cure.to_owned()),
    }
}

/// The version that a program says it has; "does not run" where it does not start.
fn version_of(name: &str, path: &Path) -> Option<String> {
    if !matches!(name, "clang" | "ptxas" | "nvdisasm") {
        return None;
    }
    let output = match Command::new(path).arg("--version").stdin(Stdio::null()).output() {
        Ok(output) => String::from_utf8_lossy(&output.stdout).into_owned(),
        Err(e) => return Some(format!("does not run: {e}")),
    };
    // clang: "Debian clang version 22.1.8 (…)"; NVIDIA: "Cuda compilation tools, release 13.0, V13.0.88".
    let after = |word: &str| output.split_once(word)?.1.split([' ', ',', '\n', '(']).find(|w| !w.is_empty());
    Some(after("clang version ").or_else(|| after(", V")).unwrap_or("unknown").to_owned())
}

/// Whether collectives were compiled ahead, for the default architecture.
fn collectives() -> Part {
    let mut options = Options::new(Vec::new(), Tools::default());
    options.cache = Cache::of_user();
    let (ahead, all) = units::prepared(&options);
    let whole = ahead == all;
    Part {
        name: "collectives".to_owned(),
        state: if whole { State::Found } else { State::Missing },
        found: (ahead > 0).then(|| format!("{ahead} of {all} for {}", options.arch.name)),
        version: None,
        purpose: "compiled ahead; without, the first call of one takes a tenth to a third of a second more".to_owned(),
        cure: (!whole).then(|| match &options.cache {
            Some(_) => "gicc cache fill".to_owned(),
            None => format!("name a folder with {}, then gicc cache fill", Cache::VARIABLE),
        }),
    }
}

fn gpus() -> Part {
    let found = match gicc_host::backend::cuda::gpu_count() {
        0 => None,
        1 => Some("1 GPU".to_owned()),
        n => Some(format!("{n} GPUs")),
    };
    Part {
        name: "GPUs".to_owned(),
        state: if found.is_some() { State::Found } else { State::Missing },
        cure: found.is_none().then(|| "install NVIDIA's driver on a machine with GPUs".to_owned()),
        found,
        version: None,
        purpose: "running kernels on GPUs (gicc run --target cuda); the simulator needs none".to_owned(),
    }
}

fn human(report: &Report) -> String {
    let mut text = format!("gicc {}, with LLVM {}\n\n", report.gicc, report.llvm);
    for part in &report.parts {
        let state = match part.state {
            State::Found => "found",
            State::Missing => "missing",
            State::Needed => "NEEDED",
            State::NotUsed => "not used",
        };
        let version = part.version.as_deref().map(|v| format!(" ({v})")).unwrap_or_default();
        let place = part.found.as_deref().map(|p| format!("{p}{version}")).unwrap_or_default();
        text.push_str(format!("{state:<9} {:<14} {place}", part.name).trim_end());
        text.push_str(&format!("\n          {}\n", part.purpose));
        if let Some(cure) = &part.cure {
            text.push_str(&format!("          to get it: {cure}\n"));
        }
    }
    text.push_str(if report.ready {
        "\nReady: CUDA C++ can be compiled to PTX and run on simulated GPUs.\n"
    } else {
        "\nNot ready: what is marked NEEDED is missing or has the wrong version.\n"
    });
    text
}
