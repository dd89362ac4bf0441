#include "../all_reduce_graph_reference.h"

GICC_REFERENCE(run) { reduce_all<float>(run); }
