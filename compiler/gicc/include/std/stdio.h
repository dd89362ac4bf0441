// <stdio.h> where there is no C library: what kernels use of it is in the CUDA surface.
#pragma once
#include <stddef.h>
