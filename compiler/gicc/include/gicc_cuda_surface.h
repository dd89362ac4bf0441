// What is force-included before a kernel file where no CUDA toolkit is found:
//
//   -nocudainc -nocudalib -isystem <here>/cuda -idirafter <here>/std -include <here>/gicc_cuda_surface.h
//
// `cuda/` holds the surface and stand-ins for the toolkit's headers, so it is on the path only then; `std/` holds the few
// standard headers that kernels include, for machines without a C++ library. Where a toolkit is found:
//
//   --cuda-path=<toolkit> -Wno-unknown-cuda-version -nocudalib -isystem <here>/with_toolkit
#pragma once
#include "cuda/gicc_cuda.h"
