//! The communication graph as SVG: kernels one below the other.

use std::fmt::Write as _;

use super::graph::{colour, drawing};
use super::layers::{Layout, layout};
use crate::analysis::communication::{Communication, RelationKind};

/// All kernels that communicate.
pub fn svg(all: &Communication) -> String {
    let mut body = String::new();
    let (mut width, mut height) = (300.0_f64, 20.0_f64);
    for kernel in all.kernels.iter().filter(|k| k.communicates) {
        let drawing = drawing(kernel);
        let places = layout(&drawing);
        let _ = writeln!(body, "<g transform=\"translate(0,{height:.0})\">");
        let _ = writeln!(body, "<text x=\"24\" y=\"20\" font-weight=\"bold\">{}</text>", escaped(&drawing.title));
        for (from, to, kind) in &drawing.arrows {
            arrow(&places, *from, *to, *kind, &mut body);
        }
        for (n, shown) in drawing.boxes.iter().enumerate() {
            let spot = places.spots[n];
            let _ = writeln!(
                body,
                "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"4\" fill=\"{}\" stroke=\"#555\"/>",
                spot.x,
                spot.y,
                spot.width,
                spot.height,
                colour(shown.class)
            );
            for (i, line) in shown.lines.iter().enumerate() {
                let weight = if i == 0 { " font-weight=\"bold\"" } else { "" };
                let _ = writeln!(
                    body,
                    "<text x=\"{:.1}\" y=\"{:.1}\"{weight}>{}</text>",
                    spot.x + 10.0,
                    spot.y + 21.0 + 15.0 * i as f64,
                    escaped(line)
                );
            }
        }
        body.push_str("</g>\n");
        width = width.max(places.width);
        height += places.height + 30.0;
    }
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n\
         <defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"8\" markerHeight=\"8\" \
         orient=\"auto\"><path d=\"M0,0 L8,4 L0,8 z\" fill=\"#444\"/></marker></defs>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n{body}</svg>\n"
    )
}

/// An arrow: down from box to box, or around the right side where it leads up.
fn arrow(places: &Layout, from: usize, to: usize, kind: RelationKind, body: &mut String) {
    let (a, b) = (places.spots[from], places.spots[to]);
    let (x1, x2) = (a.x + a.width / 2.0, b.x + b.width / 2.0);
    let dashed = if kind == RelationKind::Orders { " stroke-dasharray=\"5,4\"" } else { "" };
    let path = if a.y + a.height < b.y {
        let (y1, y2) = (a.y + a.height, b.y);
        let middle = f64::midpoint(y1, y2);
        format!("M{x1:.1},{y1:.1} C{x1:.1},{middle:.1} {x2:.1},{middle:.1} {x2:.1},{y2:.1}")
    } else {
        let (y1, y2) = (a.y + a.height / 2.0, b.y + b.height / 2.0);
        let (x1, x2) = (a.x + a.width, b.x + b.width);
        let side = x1.max(x2) + 40.0;
        format!("M{x1:.1},{y1:.1} C{side:.1},{y1:.1} {side:.1},{y2:.1} {x2:.1},{y2:.1}")
    };
    let _ = writeln!(
        body,
        "<path d=\"{path}\" fill=\"none\" stroke=\"#444\"{dashed} marker-end=\"url(#tip)\"><title>{}</title></path>",
        kind.word()
    );
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_escaped_and_nothing_is_still_a_drawing() {
        assert_eq!(escaped("k<int> & co"), "k&lt;int&gt; &amp; co");
        let text = svg(&Communication::default());
        assert!(text.starts_with("<svg ") && text.ends_with("</svg>\n"));
    }
}
