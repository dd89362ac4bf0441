//! Boxes and arrows: the sites of a kernel that communicate and what relates them. Sites of one line, class and reach share a
//! box.

use std::collections::BTreeMap;

use crate::analysis::communication::{Class, Kernel, RelationKind, Site};
use crate::analysis::words;

/// A drawing before it has places.
#[derive(Debug, Default)]
pub(super) struct Drawing {
    pub(super) title: String,
    pub(super) boxes: Vec<Shown>,
    /// From box, to box, kind; each once.
    pub(super) arrows: Vec<(usize, usize, RelationKind)>,
}

/// A box.
#[derive(Debug)]
pub(super) struct Shown {
    pub(super) class: Class,
    /// `signal`, then the operation, then the place.
    pub(super) lines: Vec<String>,
}

/// As many boxes are drawn of one kernel; a drawing of more shows nothing.
pub(super) const MOST: usize = 400;

/// The drawing of a kernel. Sites beyond [`MOST`] boxes are left out, and the title says so.
pub(super) fn drawing(kernel: &Kernel) -> Drawing {
    let mut drawing = Drawing { title: kernel.readable.clone(), ..Drawing::default() };
    let mut numbers: BTreeMap<(String, u32, Class, String), usize> = BTreeMap::new();
    let mut of_site = vec![usize::MAX; kernel.sites.len()];
    let mut left_out = 0;
    for site in kernel.sites.iter().filter(|s| s.class != Class::LocalOutput) {
        let (file, line) = place(site);
        let operation = words::operation(site);
        let key = (file.clone(), line, site.class, operation.clone());
        let next = drawing.boxes.len();
        if next >= MOST && !numbers.contains_key(&key) {
            left_out += 1;
            continue;
        }
        let n = *numbers.entry(key).or_insert(next);
        if n == next {
            let name = file.rsplit('/').next().unwrap_or(&file);
            let at = if line == 0 { "no line".to_owned() } else { format!("{name}:{line}") };
            let lines = vec![site.class.words().to_owned(), operation, at];
            drawing.boxes.push(Shown { class: site.class, lines });
        }
        of_site[site.id.index()] = n;
    }
    for edge in kernel.edges() {
        let (from, to) = (of_site[edge.from.index()], of_site[edge.to.index()]);
        if from != usize::MAX && to != usize::MAX && from != to {
            drawing.arrows.push((from, to, edge.kind));
        }
    }
    drawing.arrows.sort_unstable();
    drawing.arrows.dedup();
    if left_out > 0 {
        drawing.title += &format!(" (without {left_out} further operations)");
    }
    drawing
}

fn place(site: &Site) -> (String, u32) {
    site.place.innermost.as_ref().map(|s| (s.file.clone(), s.line)).unwrap_or_default()
}

/// The colour of a class: what sends, what receives, what orders.
pub(super) fn colour(class: Class) -> &'static str {
    match class {
        Class::RemoteStore | Class::ExportedStore | Class::PacketStore | Class::BulkCopy | Class::Collective => {
            "#fde2c4"
        }
        Class::Signal | Class::LocalFlag | Class::GridCounter => "#f9c6cf",
        Class::PollLocal | Class::PollRemote | Class::PacketLoad => "#cfe3fa",
        Class::RemoteLoad | Class::LocalLoad => "#d5f0d3",
        Class::Fence | Class::Barrier | Class::LibraryCall | Class::LocalOutput => "#e8e6ee",
    }
}
