//! The source with its communication lines: under each line what each operation there is, who executes it, why it is taken for
//! that, and what orders it.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;

use crate::analysis::communication::{Class, Communication, How, Kernel, Site, json};
use crate::analysis::words;
use crate::diagnostic::Span;

/// Texts of source files, read once.
#[derive(Debug, Default)]
pub struct Sources {
    texts: HashMap<String, Option<Vec<String>>>,
}

impl Sources {
    /// A line of a file, from 1; nothing where the file is not there.
    pub fn line(&mut self, file: &str, line: u32) -> Option<&str> {
        let text = self.texts.entry(file.to_owned()).or_insert_with(|| {
            let bytes = std::fs::read(file).ok()?;
            Some(String::from_utf8_lossy(&bytes).lines().map(str::to_owned).collect())
        });
        text.as_ref()?.get((line as usize).checked_sub(1)?).map(String::as_str)
    }
}

/// Every kernel that communicates, with its lines.
pub fn annotated(all: &Communication, sources: &mut Sources) -> String {
    let mut out = String::new();
    for kernel in &all.kernels {
        one(kernel, sources, &mut out);
    }
    out
}

fn one(kernel: &Kernel, sources: &mut Sources, out: &mut String) {
    let place = kernel.span.as_ref().map(|s| format!(" ({}:{})", s.file, s.line)).unwrap_or_default();
    let _ = writeln!(out, "kernel {}{place}", kernel.readable);
    if !kernel.communicates {
        out.push_str("  nothing here communicates with a peer, as far as can be told\n\n");
        return;
    }
    // In order of the source; a line that several calls were inlined from is shown for each call.
    let mut lines: Vec<(Key, Vec<&Site>)> = Vec::new();
    let mut numbers: BTreeMap<Key, usize> = BTreeMap::new();
    for site in kernel.sites.iter().filter(|s| s.class != Class::LocalOutput) {
        let key = key(site);
        let n = *numbers.entry(key.clone()).or_insert_with(|| {
            lines.push((key, Vec::new()));
            lines.len() - 1
        });
        lines[n].1.push(site);
    }
    let mut file = String::new();
    lines.sort_by(|(a, _), (b, _)| a.cmp(b));
    for (key, sites) in &lines {
        match &key.place {
            Some((name, line)) => {
                if *name != file {
                    let _ = writeln!(out, "  {name}");
                    file.clone_from(name);
                }
                let text = sources.line(name, *line).unwrap_or("(the source is not here)").trim_end().to_owned();
                let _ = writeln!(out, "  {line:>5} │ {text}");
            }
            None => out.push_str("      ? │ (no line is known)\n"),
        }
        if !key.through.is_empty() {
            let _ = writeln!(out, "        │   inlined at {}", key.through.join(", "));
        }
        notes(kernel, sites, out);
    }
    for assumption in &kernel.assumptions {
        let place = assumption.span.as_ref().map(|s| format!(" ({}:{})", s.file, s.line)).unwrap_or_default();
        let _ = writeln!(out, "  taken for granted: {}{place}", assumption.words);
    }
    out.push('\n');
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    place: Option<(String, u32)>,
    through: Vec<String>,
}

fn key(site: &Site) -> Key {
    let short = |s: &Span| format!("{}:{}", s.file, s.line);
    Key {
        place: site.place.innermost.as_ref().map(|s| (s.file.clone(), s.line)),
        through: site.place.inlined_at.iter().map(short).collect(),
    }
}

/// The notes below a line; equal ones once, with a count.
fn notes(kernel: &Kernel, sites: &[&Site], out: &mut String) {
    let mut texts: Vec<(String, u32)> = Vec::new();
    for site in sites {
        let text = note(kernel, site);
        match texts.iter_mut().find(|(t, _)| *t == text) {
            Some((_, count)) => *count += 1,
            None => texts.push((text, 1)),
        }
    }
    for (text, count) in texts {
        let times = if count > 1 { format!(" ({count} times)") } else { String::new() };
        let mut lines = text.lines();
        let _ = writeln!(out, "        │   ▲ {}{times}", lines.next().unwrap_or_default());
        for line in lines {
            let _ = writeln!(out, "        │     {line}");
        }
    }
}

fn note(kernel: &Kernel, site: &Site) -> String {
    let mut text = format!("{}: {}", site.class.words(), words::operation(site));
    if let Some(address) = &site.address {
        let _ = write!(text, ", {}", json::address(kernel, address));
        let domains: Vec<String> = json::domains(kernel, address).iter().map(|d| format!("`{d}`")).collect();
        if !domains.is_empty() {
            let _ = write!(text, " in the domain {}", domains.join(" and "));
        }
    }
    let _ = write!(text, ", by {}", json::who(site.guard.who));
    if let Some(packet) = &site.packet {
        let _ = write!(text, ", a packet of {} bytes", packet.bytes);
    }
    let reasons: Vec<&str> = site.why.iter().map(|r| r.words.as_str()).collect();
    if !reasons.is_empty() && !matches!(site.class, Class::Fence | Class::Barrier) {
        let _ = write!(text, "\nwhy: {}", reasons.join("; "));
    }
    let order = ordered(kernel, site);
    if !order.is_empty() {
        let _ = write!(text, "\nordered by: {order}");
    }
    text
}

/// What orders a site, in words.
fn ordered(kernel: &Kernel, site: &Site) -> String {
    let mut parts: Vec<String> = Vec::new();
    for ordered in &site.ordered_by {
        let what = match (ordered.how, site.class.is_poll()) {
            (How::Itself, _) => "itself".to_owned(),
            (How::Packet, _) => "its own flag, in the same packet".to_owned(),
            (How::Boundary, _) if site.class.is_received_data() => "the beginning of the kernel".to_owned(),
            (How::Boundary, _) => "the end of the kernel".to_owned(),
            (how, _) => format!("the {}", how.name()),
        };
        let place = ordered.by.and_then(|s| kernel.site(s).place.innermost.clone());
        let place = place.map(|s| format!(" at {}:{}", s.file, s.line)).unwrap_or_default();
        let part = format!("{what}{place}");
        if !parts.contains(&part) {
            parts.push(part);
        }
    }
    if parts.is_empty() && matches!(site.class, Class::Signal | Class::PollLocal | Class::PollRemote) {
        return "nothing".to_owned();
    }
    parts.join(", ")
}
