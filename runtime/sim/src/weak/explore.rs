//! Systematic exploration: a source of choices that goes through all of them, run by run. Threads that could run in
//! either order without a difference are run in one order only, by sleep sets (Godefroid 1996): after a thread's step has
//! been explored, it sleeps in the other branches until somebody does what its step depends on.

use super::choice::{Chooser, Footprint, Offer, Ready};

/// One choice that was made, and what is left of it.
#[derive(Clone, Debug)]
enum Node {
    /// One of so many.
    Value { count: usize, at: usize },
    /// Who runs: those who could, who was taken, who has been taken before, and who sleeps.
    Thread { ready: Vec<Ready>, at: usize, done: Vec<Ready>, sleep: Vec<Ready> },
}

/// Goes through all choices. A run asks it for choices; [`Explorer::advance`] prepares the next run.
#[derive(Clone, Debug, Default)]
pub struct Explorer {
    nodes: Vec<Node>,
    depth: usize,
    sleep: Vec<Ready>,
}

impl Explorer {
    /// Before the first run.
    pub fn new() -> Self {
        Self::default()
    }

    /// Prepares the next run; false where all executions have been seen.
    pub fn advance(&mut self) -> bool {
        self.depth = 0;
        self.sleep.clear();
        while let Some(node) = self.nodes.last_mut() {
            match node {
                Node::Value { count, at } => {
                    if *at + 1 < *count {
                        *at += 1;
                        return true;
                    }
                }
                Node::Thread { ready, at, done, sleep } => {
                    done.push(ready[*at]);
                    let next = ready.iter().position(|r| !has(sleep, r.id) && !has(done, r.id));
                    if let Some(next) = next {
                        *at = next;
                        return true;
                    }
                }
            }
            self.nodes.pop();
        }
        false
    }

    /// How many choices the present run has made.
    pub fn depth(&self) -> usize {
        self.depth
    }

    fn step(&mut self, chosen: Ready, done: &[Ready], sleep: &[Ready]) {
        self.sleep =
            sleep.iter().chain(done).filter(|r| r.id != chosen.id && !r.next.depends(&chosen.next)).copied().collect();
    }

    fn one_of(&mut self, count: usize, first: usize) -> usize {
        if count == 1 {
            return 0;
        }
        // The order of the choices is the newest first: what a machine does most often is seen first.
        let turn = |at: usize| (first + count - at) % count;
        let at = match self.nodes.get(self.depth) {
            Some(Node::Value { at, .. }) => *at,
            _ => {
                self.nodes.push(Node::Value { count, at: 0 });
                0
            }
        };
        self.depth += 1;
        turn(at)
    }
}

fn has(list: &[Ready], id: u64) -> bool {
    list.iter().any(|r| r.id == id)
}

impl Chooser for Explorer {
    fn value(&mut self, offer: Offer) -> usize {
        self.one_of(offer.count, offer.count - 1)
    }

    fn thread(&mut self, ready: &[Ready]) -> Option<usize> {
        if let Some(Node::Thread { ready: known, at, done, sleep }) = self.nodes.get_mut(self.depth) {
            // Addresses may differ from run to run, who is who does not.
            for old in known.iter_mut().chain(done.iter_mut()).chain(sleep.iter_mut()) {
                if let Some(now) = ready.iter().find(|r| r.id == old.id) {
                    *old = *now;
                }
            }
            let (chosen, done, sleep) = (known[*at], done.clone(), sleep.clone());
            self.depth += 1;
            self.step(chosen, &done, &sleep);
            return ready.iter().position(|r| r.id == chosen.id);
        }
        let at = ready.iter().position(|r| !has(&self.sleep, r.id))?;
        let sleep = std::mem::take(&mut self.sleep);
        self.step(ready[at], &[], &sleep);
        self.nodes.push(Node::Thread { ready: ready.to_vec(), at, done: Vec::new(), sleep });
        self.depth += 1;
        Some(at)
    }

    fn put_off(&mut self) -> bool {
        self.one_of(2, 0) == 1
    }
}

/// What an exploration came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Exploration {
    /// Runs to their end.
    pub runs: u64,
    /// Runs that were given up because others had shown the same.
    pub given_up: u64,
    /// Whether all executions have been seen, as far as the simulator can execute.
    pub complete: bool,
}

impl Exploration {
    /// In words.
    pub fn text(&self) -> String {
        if self.complete {
            format!("all executions seen: {} runs, {} more given up as equal to one of them", self.runs, self.given_up)
        } else {
            format!("not all executions seen: stopped after {} runs", self.runs)
        }
    }
}

/// Whether two steps can be swapped; for tests of footprints.
pub fn independent(one: &Footprint, other: &Footprint) -> bool {
    !one.depends(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn writes(at: u64) -> Footprint {
        Footprint { bytes: (at, at + 4), writes: true, ..Footprint::LOCAL }
    }

    /// Runs of two threads of two steps each, which write to the given places.
    fn runs(places: [[u64; 2]; 2]) -> usize {
        let mut explorer = Explorer::new();
        let mut whole = 0;
        loop {
            let mut next = [0; 2];
            let ended = loop {
                let ready: Vec<Ready> = (0..2)
                    .filter(|&t| next[t] < 2)
                    .map(|t| Ready { id: t as u64, next: writes(places[t][next[t]]) })
                    .collect();
                if ready.is_empty() {
                    break true;
                }
                let Some(at) = explorer.thread(&ready) else { break false };
                next[ready[at].id as usize] += 1;
            };
            whole += usize::from(ended);
            if !explorer.advance() {
                return whole;
            }
        }
    }

    #[test]
    fn independent_steps_are_seen_in_one_order() {
        assert_eq!(runs([[0, 0], [64, 64]]), 1);
        assert_eq!(runs([[0, 0], [0, 0]]), 6);
        // The second steps depend on each other, the first ones on nobody.
        assert_eq!(runs([[0, 128], [64, 128]]), 2);
    }

    #[test]
    fn values_are_seen_newest_first() {
        let mut explorer = Explorer::new();
        let mut seen = Vec::new();
        loop {
            let offer = Offer { count: 3, strong: false, stale: 0 };
            seen.push((explorer.value(offer), explorer.put_off()));
            if !explorer.advance() {
                break;
            }
        }
        assert_eq!(seen, [(2, false), (2, true), (1, false), (1, true), (0, false), (0, true)]);
    }
}
