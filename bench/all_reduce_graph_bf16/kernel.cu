// All-reduce of bf16 as a kernel of its own.
#include "../all_reduce_graph.cuh"

ALL_REDUCES(bf16, __bf16)
