// What a class's table of virtual functions has in place of a pure one: nobody is to call it.
#include "runtime.cuh"

extern "C" __device__ __attribute__((noinline, cold)) void __cxa_pure_virtual() { __builtin_trap(); }
