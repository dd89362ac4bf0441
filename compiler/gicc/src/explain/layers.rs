//! A drawing in layers: each box below what leads to it, arrows downwards where no cycle forbids it, boxes of a layer in the
//! order in which few arrows cross.

use super::graph::Drawing;

/// Where a box is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Spot {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) width: f64,
    pub(super) height: f64,
}

/// The places of all boxes and the size of the whole.
#[derive(Debug)]
pub(super) struct Layout {
    pub(super) spots: Vec<Spot>,
    pub(super) width: f64,
    pub(super) height: f64,
}

/// Width of a letter, height of a line, and the room around and between boxes, in points.
const LETTER: f64 = 6.6;
const LINE: f64 = 15.0;
const ROOM: f64 = 10.0;
const BETWEEN: f64 = 24.0;
const LAYERS: f64 = 46.0;
/// Sweeps that put boxes below the middle of those that lead to them.
const SWEEPS: u32 = 8;

/// Lays a drawing out.
pub(super) fn layout(drawing: &Drawing) -> Layout {
    let count = drawing.boxes.len();
    let layer = layers(drawing);
    let depth = layer.iter().copied().max().map_or(0, |d| d + 1);
    let mut rows: Vec<Vec<usize>> = vec![Vec::new(); depth];
    for (n, l) in layer.iter().enumerate() {
        rows[*l].push(n);
    }
    let mut place = vec![0.0_f64; count];
    for row in &rows {
        for (i, n) in row.iter().enumerate() {
            place[*n] = i as f64;
        }
    }
    for sweep in 0..SWEEPS {
        let downwards = sweep % 2 == 0;
        let order: Vec<usize> = if downwards { (0..depth).collect() } else { (0..depth).rev().collect() };
        for l in order {
            let mut keyed: Vec<(f64, usize)> = rows[l]
                .iter()
                .map(|&n| {
                    let near: Vec<f64> = drawing
                        .arrows
                        .iter()
                        .filter_map(|&(a, b, _)| match (a == n, b == n) {
                            (true, false) if (layer[b] > l) != downwards => Some(place[b]),
                            (false, true) if (layer[a] < l) == downwards => Some(place[a]),
                            _ => None,
                        })
                        .collect();
                    let mean = if near.is_empty() { place[n] } else { near.iter().sum::<f64>() / near.len() as f64 };
                    (mean, n)
                })
                .collect();
            keyed.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            rows[l] = keyed.into_iter().map(|(_, n)| n).collect();
            for (i, n) in rows[l].iter().enumerate() {
                place[*n] = i as f64;
            }
        }
    }
    let size = |n: usize| {
        let shown = &drawing.boxes[n];
        let longest = shown.lines.iter().map(|l| l.chars().count()).max().unwrap_or(0);
        (longest as f64 * LETTER + 2.0 * ROOM, shown.lines.len() as f64 * LINE + 2.0 * ROOM)
    };
    let width_of =
        |row: &[usize]| row.iter().map(|n| size(*n).0).sum::<f64>() + BETWEEN * row.len().saturating_sub(1) as f64;
    let width = rows.iter().map(|r| width_of(r)).fold(200.0, f64::max) + 2.0 * BETWEEN;
    let mut spots = vec![Spot { x: 0.0, y: 0.0, width: 0.0, height: 0.0 }; count];
    let mut y = 2.0 * BETWEEN;
    for row in &rows {
        let mut x = (width - width_of(row)) / 2.0;
        let mut tallest = 0.0_f64;
        for &n in row {
            let (w, h) = size(n);
            spots[n] = Spot { x, y, width: w, height: h };
            x += w + BETWEEN;
            tallest = tallest.max(h);
        }
        y += tallest + LAYERS;
    }
    Layout { spots, width, height: y }
}

/// The layer of each box: one more than the lowest of those that lead to it. Arrows against the order of the boxes, which is
/// that of the program, do not count.
fn layers(drawing: &Drawing) -> Vec<usize> {
    let mut layer = vec![0_usize; drawing.boxes.len()];
    // Arrows are sorted by their beginning, and a counted arrow ends later: one pass is enough.
    for &(from, to, _) in &drawing.arrows {
        if from < to {
            layer[to] = layer[to].max(layer[from] + 1);
        }
    }
    layer
}

#[cfg(test)]
mod tests {
    use super::super::graph::Shown;
    use super::*;
    use crate::analysis::communication::{Class, RelationKind};

    #[test]
    fn boxes_stand_below_what_leads_to_them_and_do_not_overlap() {
        let shown = |_| Shown { class: Class::Signal, lines: vec!["signal".into(), "st".into()] };
        let drawing = Drawing {
            title: String::new(),
            boxes: (0..4).map(shown).collect(),
            arrows: vec![
                (0, 2, RelationKind::Publishes),
                (1, 2, RelationKind::Publishes),
                (2, 3, RelationKind::Signals),
                (3, 0, RelationKind::Orders),
            ],
        };
        let found = layout(&drawing);
        let below = |a: usize, b: usize| found.spots[a].y + found.spots[a].height < found.spots[b].y;
        assert!(below(0, 2) && below(1, 2) && below(2, 3));
        assert!(found.spots[0].x + found.spots[0].width < found.spots[1].x);
        assert!(found.spots.iter().all(|s| s.x + s.width <= found.width && s.y + s.height <= found.height));
    }
}
