//! Names and layouts that cross components.
