#include "../all_reduce_graph_reference.h"

GICC_REFERENCE(run) { reduce_all<gicc::reference::bfloat16>(run); }
