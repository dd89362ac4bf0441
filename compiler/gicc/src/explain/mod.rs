//! `gicc explain`: what communicates, for people: the source with each communication line annotated, and the communication
//! graph as DOT or SVG.
//!
//! | file | what it makes |
//! | --- | --- |
//! | `source` | the annotated source |
//! | `graph` | boxes and arrows of a kernel |
//! | `dot` | these as DOT |
//! | `layers`, `svg` | a drawing in layers, and it as SVG |

mod dot;
mod graph;
mod layers;
mod source;
mod svg;

pub use dot::dot;
pub use source::{Sources, annotated};
pub use svg::svg;
