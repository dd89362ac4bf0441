// What every primitive includes: the intrinsics, the groups, addresses and the error word.
//
// Rules of this folder: memory is ordered by Requirement intrinsics and relaxed Ordering intrinsics alone (never inline
// PTX, C++ atomics or `__threadfence`); barriers and shuffles are the target's. Helpers that are not inlined are called
// `gicc_rt_*`, so that no `__gicc_` name is left after linking.
#pragma once

#include "gicc/abi.h"
#include "group.cuh"
#include "address.cuh"
#include "error.cuh"
