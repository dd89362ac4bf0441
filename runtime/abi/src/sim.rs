//! The entry points between a program for the simulator and the simulator.
