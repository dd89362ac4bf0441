//! `gicc cache`: what is kept between compilations, and compiling all collectives ahead.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use gicc::diagnostic::{Diagnostic, codes};
use gicc::driver::{Cache, Options, Tools, units};
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

use crate::args::{CacheAction, CacheArgs, FillArgs};
use crate::exit;
use crate::messages::Messages;

/// What `--json` prints.
#[derive(Serialize)]
struct Report {
    /// The folder of this build; nothing where nothing is kept.
    folder: Option<String>,
    /// Files in it.
    entries: usize,
    /// Their bytes.
    bytes: u64,
    /// The architecture that the next two are about.
    arch: &'static str,
    /// Collectives that are compiled already.
    ahead: usize,
    /// Collectives that there are.
    collectives: usize,
}

/// Does what is asked; 1 where a collective could not be compiled.
pub(crate) fn cache(args: &CacheArgs, messages: &Messages) -> u8 {
    let mut options = Options::new(Vec::new(), Tools::default());
    options.cache = Cache::of_user();
    options.arch = args.arch.0;
    let done = match &args.action {
        None => Ok(()),
        Some(CacheAction::Fill(fill)) => filled(fill, &options),
        Some(CacheAction::Clear) => cleared(options.cache.as_ref()),
    };
    if let Err(errors) = done {
        errors.iter().for_each(|d| messages.diagnostic(d));
        return messages.exit_code().unwrap_or(exit::INTERNAL);
    }
    show(args, &report(&options), messages);
    exit::OK
}

fn report(options: &Options) -> Report {
    let (ahead, collectives) = units::prepared(options);
    let (entries, bytes) = options.cache.as_ref().map_or((0, 0), Cache::size);
    Report {
        folder: options.cache.as_ref().map(|c| c.folder().display().to_string()),
        entries,
        bytes,
        arch: options.arch.name,
        ahead,
        collectives,
    }
}

fn show(args: &CacheArgs, report: &Report, messages: &Messages) {
    let text = if args.json { serde_json::to_string(report).unwrap_or_else(|e| e.to_string()) } else { human(report) };
    crate::print(&format!("{}\n", text.trim_end()), messages);
}

fn human(report: &Report) -> String {
    let mut text = match &report.folder {
        Some(folder) => format!("{folder}: {} entries, {:.1} MB\n", report.entries, report.bytes as f64 / 1e6),
        None => format!("nothing is kept: {} is empty, or there is no home folder\n", Cache::VARIABLE),
    };
    text += &format!("{} of {} collectives are compiled for {}\n", report.ahead, report.collectives, report.arch);
    if report.ahead < report.collectives && report.folder.is_some() {
        text += "(`gicc cache fill` compiles the others; else each is compiled when it is called for the first time)\n";
    }
    text
}

/// Compiles every collective; several side by side.
fn filled(args: &FillArgs, options: &Options) -> Result<(), Vec<Diagnostic>> {
    let roots = units::all();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let jobs = args.jobs.map_or(cores, |n| n as usize).min(roots.len());
    // It draws only where standard error is a terminal.
    let bar = ProgressBar::new(roots.len() as u64);
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} {msg}, {eta} left") {
        bar.set_style(style);
    }
    let next = AtomicUsize::new(0);
    let failed: Mutex<Option<Vec<Diagnostic>>> = Mutex::new(None);
    std::thread::scope(|threads| {
        for _ in 0..jobs {
            threads.spawn(|| {
                while let Some(root) = roots.get(next.fetch_add(1, Ordering::Relaxed)) {
                    bar.set_message(root.clone());
                    if let Err(errors) = units::prepare(options, root) {
                        // The first one says it; the other threads find nothing more to do.
                        failed.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(errors);
                        next.store(roots.len(), Ordering::Relaxed);
                    }
                    bar.inc(1);
                }
            });
        }
    });
    bar.finish_and_clear();
    failed.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
}

fn cleared(cache: Option<&Cache>) -> Result<(), Vec<Diagnostic>> {
    let Some(cache) = cache else { return Ok(()) };
    cache.clear().map_err(|why| {
        vec![
            Diagnostic::error(codes::UNWRITABLE_OUTPUT, format!("cannot remove `{}`", cache.folder().display()))
                .cause(why.to_string()),
        ]
    })
}
