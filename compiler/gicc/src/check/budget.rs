//! How much work a kernel may cost: steps of execution, and steps of the memory model's search, which weigh what they look at.
//! Work is counted and never timed, so that what is found depends on the program alone, and not on the machine or on what else
//! it does.
//!
//! A module has a multiple of a kernel's share, which its kernels use up in order; what was not looked at for that is said.

/// A count of steps.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Work {
    left: u64,
}

impl Work {
    /// So many steps.
    pub(crate) fn new(left: u64) -> Work {
        Work { left }
    }

    /// Takes steps off.
    pub(crate) fn spend(&mut self, steps: u64) {
        self.left = self.left.saturating_sub(steps);
    }

    /// How many are left.
    pub(crate) fn left(&self) -> u64 {
        self.left
    }

    /// Whether none is left.
    pub(crate) fn is_spent(&self) -> bool {
        self.left == 0
    }

    /// At most so many of them, which are taken off: a part that is used alone.
    pub(crate) fn share(&mut self, most: u64) -> Work {
        let part = self.left.min(most);
        self.left -= part;
        Work { left: part }
    }

    /// Gives back what was not used.
    pub(crate) fn back(&mut self, part: Work) {
        self.left = self.left.saturating_add(part.left);
    }
}

/// What a kernel, or a module, may cost.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget {
    /// Instructions that are executed.
    pub(crate) execution: Work,
    /// Steps of the search for executions of skeletons.
    pub(crate) search: Work,
    /// Steps of the search for what would mend the races that were found.
    pub(crate) cures: Work,
}

/// Steps for one kernel: about a second each on a slow machine.
const EXECUTION: u64 = 3_000_000;
const SEARCH: u64 = 400_000;
const CURES: u64 = 1_200_000;
/// As many kernels may cost all of their share.
const KERNELS: u64 = 8;

impl Budget {
    /// That of a module.
    pub(crate) fn of_module() -> Budget {
        Budget {
            execution: Work::new(EXECUTION * KERNELS),
            search: Work::new(SEARCH * KERNELS),
            cures: Work::new(CURES * KERNELS),
        }
    }

    /// The share of its next kernel.
    pub(crate) fn for_kernel(&mut self) -> Budget {
        Budget {
            execution: self.execution.share(EXECUTION),
            search: self.search.share(SEARCH),
            cures: self.cures.share(CURES),
        }
    }

    /// Takes back what a kernel has left.
    pub(crate) fn take_back(&mut self, rest: Budget) {
        self.execution.back(rest.execution);
        self.search.back(rest.search);
        self.cures.back(rest.cures);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_use_their_own_share_and_give_the_rest_back() {
        let mut module = Budget::of_module();
        for _ in 0..100 {
            let mut kernel = module.for_kernel();
            assert_eq!((kernel.execution.left(), kernel.search.left()), (EXECUTION, SEARCH));
            kernel.search.spend(10);
            module.take_back(kernel);
        }
        assert_eq!(module.search.left(), SEARCH * KERNELS - 1000);
        for _ in 0..KERNELS {
            let mut kernel = module.for_kernel();
            kernel.search.spend(u64::MAX);
            assert!(kernel.search.is_spent());
            module.take_back(kernel);
        }
        let last = module.for_kernel();
        assert!(last.search.is_spent() && last.execution.left() == EXECUTION);
    }
}
