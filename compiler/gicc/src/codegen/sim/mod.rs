//! Level L with placed fences becomes a shared object for the simulator.
