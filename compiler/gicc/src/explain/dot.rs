//! The communication graph as DOT, one cluster a kernel.

use std::fmt::Write as _;

use super::graph::{colour, drawing};
use crate::analysis::communication::{Communication, RelationKind};

/// All kernels that communicate.
pub fn dot(all: &Communication) -> String {
    let mut out = String::from("digraph communication {\n  node [shape=box, style=filled, fontname=\"sans-serif\"];\n");
    for (k, kernel) in all.kernels.iter().filter(|k| k.communicates).enumerate() {
        let drawing = drawing(kernel);
        let _ = writeln!(out, "  subgraph cluster_{k} {{\n    label={};", quoted(&drawing.title));
        for (n, shown) in drawing.boxes.iter().enumerate() {
            let label = quoted(&shown.lines.join("\n"));
            let _ = writeln!(out, "    k{k}n{n} [label={label}, fillcolor=\"{}\"];", colour(shown.class));
        }
        for (from, to, kind) in &drawing.arrows {
            let style = if *kind == RelationKind::Orders { ", style=dashed" } else { "" };
            let _ = writeln!(out, "    k{k}n{from} -> k{k}n{to} [label=\"{}\"{style}];", kind.word());
        }
        out.push_str("  }\n");
    }
    out.push_str("}\n");
    out
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_cannot_end_their_quotes() {
        assert_eq!(quoted("a\"b\\c\nd"), "\"a\\\"b\\\\c\\nd\"");
        assert!(dot(&Communication::default()).starts_with("digraph communication {"));
    }
}
