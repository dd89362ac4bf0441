// Clang's wrapper of CUDA's headers includes a header of this name; the CUDA packages that gicc uses lack it, and kernels do
// not need it.
#pragma once
