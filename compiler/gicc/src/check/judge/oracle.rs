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

    /// The model with what is left.
    fn model(&self) -> Model {
        Model { step_limit: STEP_LIMIT.min(self.work.left()).max(1), ..model() }
    }

    /// The races of a program.
    pub(crate) fn races(&mut self, program: &mm::Program) -> Result<BTreeSet<mm::Race>, ModelError> {
        let mut steps = size(program);
        let answer = self.model().races_counted(program, &mut steps);
        self.work.spend(steps);
        answer
    }

    /// Whether a condition may hold at the end of a program.
    pub(crate) fn check(
        &mut self,
        program: &mm::Program,
        condition: &mm::Condition,
    ) -> Result<mm::Verdict, ModelError> {
        let mut steps = size(program);
        let answer = self.model().check_counted(program, condition, &mut steps);
        self.work.spend(steps);
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
