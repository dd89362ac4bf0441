// The device runtime as one translation unit; the compiler builds it to bitcode once and links it into every module:
//
//   clang++-22 -x cuda --cuda-device-only --cuda-gpu-arch=sm_80 --cuda-feature=+ptx84 -nocudainc -nocudalib -std=c++17
//     -O2 -I <folder of gicc/abi.h> -I compiler/gicc/include/cuda -include gicc_cuda.h -emit-llvm -c runtime/device/runtime.cu
//
// No debug information: inlined code then carries the line of the user's call. The attributes target-cpu and
// target-features have to go when it is linked, since the code is of no particular architecture.
#include "src/error.cu"
#include "src/copy.cu"
#include "src/poll.cu"
#include "src/broadcast_block.cu"
#include "src/peer_ptr.cu"
#include "src/put.cu"
#include "src/get.cu"
#include "src/put_signal.cu"
#include "src/notify.cu"
#include "src/wait.cu"
#include "src/test.cu"
#include "src/release.cu"
#include "src/acquire.cu"
#include "src/quiet.cu"
#include "src/barrier.cu"
#include "src/arrive.cu"
#include "src/grid_sync.cu"
#include "src/collective.cu"
#include "src/part.cu"
#include "src/packet.cu"
#include "src/pack.cu"
#include "src/channel.cu"
#include "src/initiate.cu"
#include "src/event.cu"
#include "src/check_error.cu"
#include "src/virtual.cu"
#include "src/stand_in.cu"
