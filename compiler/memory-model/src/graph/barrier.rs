//! Which barrier operations synchronise (PTX ISA §8.9.4): those of one generation of one barrier. And what reductions
//! communicate.

use std::collections::{BTreeMap, BTreeSet};

use super::EventId;
use crate::error::ModelError;
use crate::program::{BarrierAction, BarrierLevel, Place, Program};
use crate::relation::Relation;

/// A barrier event, with the generation that it belongs to.
pub(super) struct Arrival {
    pub(super) event: EventId,
    pub(super) thread: usize,
    pub(super) id: u32,
    pub(super) action: BarrierAction,
    pub(super) level: BarrierLevel,
    pub(super) participants: Option<u32>,
    pub(super) generation: u32,
}

/// A generation of a barrier: cluster-wide or not, GPU, cluster, block, barrier, generation.
type Generation = (bool, u32, u32, u32, u32, u32);

/// Counts the generations of one thread's barriers.
#[derive(Default)]
pub(super) struct Generations {
    arrivals: BTreeMap<(bool, u32), u32>,
    waits: BTreeMap<(bool, u32), u32>,
}

impl Generations {
    /// The generation of the next operation on a barrier.
    pub(super) fn next(&mut self, id: u32, level: BarrierLevel, action: BarrierAction) -> u32 {
        let key = (level == BarrierLevel::Cluster, id);
        let counter = if action == BarrierAction::Wait { &mut self.waits } else { &mut self.arrivals };
        let count = counter.entry(key).or_default();
        *count += 1;
        *count - 1
    }
}

/// The arrivals of each generation.
fn generations<'a>(program: &Program, arrivals: &'a [Arrival]) -> BTreeMap<Generation, Vec<&'a Arrival>> {
    let mut groups: BTreeMap<Generation, Vec<&Arrival>> = BTreeMap::new();
    for arrival in arrivals {
        let Place::Device { gpu, cluster, cta } = program.threads[arrival.thread].place else { continue };
        let wide = arrival.level == BarrierLevel::Cluster;
        let cta = if wide { 0 } else { cta };
        groups.entry((wide, gpu, cluster, cta, arrival.id, arrival.generation)).or_default().push(arrival);
    }
    groups
}

/// What reductions communicate: each one's result depends on the arrivals of its generation that are reductions.
pub(super) fn communicate(
    program: &Program,
    arrivals: &[Arrival],
    reductions: &BTreeSet<EventId>,
) -> Vec<(EventId, EventId)> {
    let mut all = Vec::new();
    for members in generations(program, arrivals).values() {
        let reducing: Vec<EventId> = members.iter().map(|m| m.event).filter(|e| reductions.contains(e)).collect();
        for &from in &reducing {
            all.extend(reducing.iter().filter(|&&to| to != from).map(|&to| (from, to)));
        }
    }
    all
}

/// Adds the synchronisation of all barriers to base causality, and checks the numbers of participants.
pub(super) fn synchronise(program: &Program, arrivals: &[Arrival], base: &mut Relation) -> Result<(), ModelError> {
    for members in generations(program, arrivals).values() {
        let arrived = members.iter().filter(|member| member.action != BarrierAction::Wait).count();
        for member in members {
            if let Some(expected) = member.participants
                && arrived != expected as usize
            {
                let place = program.threads[member.thread].place;
                let Arrival { id, generation, .. } = **member;
                return Err(ModelError::BarrierCount { id, place, generation, arrived, expected });
            }
        }
        for from in members.iter().filter(|member| member.action != BarrierAction::Wait) {
            for to in members.iter().filter(|member| member.action != BarrierAction::Arrive) {
                if from.thread != to.thread {
                    base.add(from.event, to.event);
                }
            }
        }
    }
    Ok(())
}
