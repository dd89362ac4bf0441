// Stands in for the toolkit's header of this name: the surface is already there, and `gicc_cuda.h` includes it once.
#pragma once
#include "gicc_cuda.h"
