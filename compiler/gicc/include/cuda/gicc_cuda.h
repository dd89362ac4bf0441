// The CUDA surface that the compiler supplies where no CUDA toolkit is found. It is force-included before a kernel file
// (`-include gicc_cuda.h`), for device compilation by clang only. It stands on the headers that come with clang
// (`__clang_cuda_*.h`) and adds what those expect of a toolkit. Host-side CUDA calls are not supplied: a kernel file is
// compiled for the device alone.
#pragma once

#if !defined(__CUDA__) || !defined(__clang__)
#error "gicc_cuda.h is for CUDA compilation by clang"
#endif

#include "gicc_cuda/qualifiers.h"
#include "gicc_cuda/libc.h"
#include "gicc_cuda/vector_types.h"
#include "gicc_cuda/builtin_variables.h"
#include "gicc_cuda/math.h"
#include "gicc_cuda/atomics.h"
#include "gicc_cuda/warp_and_memory.h"
