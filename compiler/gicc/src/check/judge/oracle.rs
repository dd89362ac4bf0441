//! Questions to the memory model, within what is left of the work.

use std::collections::BTreeSet;

use memory_model as mm;
use memory_model::{Model, ModelError};

use super::super::budget::Work;

impl<'w> Oracle<'w> {
    /// One that spends this work.
    pub(crate) fn new(work: &'w mut Work) -> Oracle<'w> {
        Oracle { work }
    }

    /// Whether no work is left.
    pub(super) fn is_spent(&self) -> bool {
        self.work.is_spent()
    }

    /// The model with what is left, for a program of which a step weighs so much.
    fn model(&self, weight: u64) -> Model {
        Model { step_limit: STEP_LIMIT.min(self.work.left() / weight).max(1), ..model() }
    }

    /// The races of a program.
    pub(crate) fn races(&mut self, program: &mm::Program) -> Result<BTreeSet<mm::Race>, ModelError> {
        let mut steps = size(program);
        let weight = weight(steps);
        let answer = self.model(weight).races_counted(program, &mut steps);
        self.work.spend(steps.saturating_mul(weight));
        answer
    }

    /// Whether a condition may hold at the end of a program.
    pub(crate) fn check(
        &mut self,
        program: &mm::Program,
        condition: &mm::Condition,
    ) -> Result<mm::Verdict, ModelError> {
        let mut steps = size(program);
        let weight = weight(steps);
        let answer = self.model(weight).check_counted(program, condition, &mut steps);
        self.work.spend(steps.saturating_mul(weight));
        answer
    }
}

/// Steps of the search for one program.
const STEP_LIMIT: u64 = 60_000;

/// The model with a limit that suits the many small questions.
pub(crate) fn model() -> Model {
    Model { step_limit: STEP_LIMIT, ..Model::default() }
}

/// Asks the model, within what is left of the work.
pub(crate) struct Oracle<'w> {
    work: &'w mut Work,
}

/// What a question costs besides its search.
fn size(program: &mm::Program) -> u64 {
    program.threads.iter().map(|thread| thread.steps.len() as u64).sum()
}

/// What a step of the search for a program of so many operations weighs: it goes through pairs of them, so that one of many
/// costs more than one of few.
fn weight(operations: u64) -> u64 {
    1 + operations.saturating_mul(operations) / (LIGHT * LIGHT)
}

/// Operations of a program whose steps weigh twice what those of the smallest do.
const LIGHT: u64 = 64;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_of_a_large_program_weighs_more() {
        assert_eq!([10, 64, 640].map(weight), [1, 2, 101]);
    }
}
