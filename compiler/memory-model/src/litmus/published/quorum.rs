//! Barriers with a quorum: the ways in which the arrivals of a program can complete them.
//!
//! A barrier completes as soon as as many threads wait at it as it names (PTX ISA §9.7.13.1); of more arrivals, any may be
//! the first. A thread for which no group is left waits for ever.

use std::collections::BTreeSet;

/// One barrier that a thread comes to: block (GPU and number), barrier, quorum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Arrival {
    pub(super) block: (u32, u32),
    pub(super) id: u32,
    pub(super) quorum: u32,
}

/// A group that completes a barrier: threads, each with the number of its arrival.
pub(super) type Group = Vec<(usize, usize)>;

/// For each thread, the groups of its arrivals; where there are fewer than arrivals, it waits for ever.
pub(super) type Grouping = Vec<Vec<Group>>;

/// All groupings; none where there would be more than `limit`.
pub(super) fn groupings(arrivals: &[Vec<Arrival>], limit: usize) -> Option<Vec<Grouping>> {
    let mut complete = BTreeSet::new();
    let mut seen = BTreeSet::new();
    let mut open = vec![vec![Vec::new(); arrivals.len()]];
    while let Some(grouping) = open.pop() {
        if !seen.insert(grouping.clone()) {
            continue;
        }
        if seen.len() > limit {
            return None;
        }
        let waiting: Vec<(usize, Arrival)> = arrivals
            .iter()
            .enumerate()
            .filter_map(|(thread, all)| Some((thread, *all.get(grouping[thread].len())?)))
            .collect();
        let barriers: BTreeSet<Arrival> = waiting.iter().map(|(_, arrival)| *arrival).collect();
        let mut any = false;
        for barrier in barriers {
            let threads: Vec<usize> =
                waiting.iter().filter(|(_, at)| *at == barrier).map(|(thread, _)| *thread).collect();
            for members in subsets(&threads, barrier.quorum as usize) {
                any = true;
                let group: Group = members.iter().map(|&thread| (thread, grouping[thread].len())).collect();
                let mut next = grouping.clone();
                for &thread in &members {
                    next[thread].push(group.clone());
                }
                open.push(next);
            }
        }
        if !any {
            complete.insert(grouping);
        }
    }
    Some(complete.into_iter().collect())
}

/// The subsets of a size.
fn subsets(all: &[usize], size: usize) -> Vec<Vec<usize>> {
    if size == 0 {
        return vec![Vec::new()];
    }
    let mut found = Vec::new();
    for (index, &first) in all.iter().enumerate() {
        for mut rest in subsets(&all[index + 1..], size - 1) {
            rest.insert(0, first);
            found.push(rest);
        }
    }
    found
}
