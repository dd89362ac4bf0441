// All-reduce of single precision as a kernel of its own.
#include "../all_reduce_graph.cuh"

ALL_REDUCES(f32, float)
