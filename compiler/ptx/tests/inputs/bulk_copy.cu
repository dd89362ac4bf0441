// A tile goes to a peer by the asynchronous copy unit and comes back from memory on an mbarrier.
#include "device.h"

__device__ inline u32 shared_address(const void *p) { return (u32)(u64)(__attribute__((address_space(3))) const void *)p; }

extern "C" __global__ void __launch_bounds__(128) bulk_put(const u32 *source, u32 *destination, u64 *signal, u32 bytes) {
  __shared__ __attribute__((aligned(128))) u32 tile[256];
  for (u32 i = thread_index(); i < bytes / 4; i += block_size()) tile[i] = source[i] + 1;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  block_barrier();
  if (thread_index() == 0) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(destination), "r"(shared_address(tile)),
                 "r"(bytes)
                 : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    asm volatile("st.release.sys.global.u64 [%0], %1;" ::"l"(signal), "l"(1ull) : "memory");
  }
}

extern "C" __global__ void __launch_bounds__(128) bulk_get(const u32 *source, u32 *out, u32 bytes) {
  __shared__ __attribute__((aligned(128))) u32 tile[256];
  __shared__ __attribute__((aligned(8))) u64 full;
  u32 barrier = shared_address(&full);
  if (thread_index() == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  block_barrier();
  if (thread_index() == 0) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                     shared_address(tile)),
                 "l"(source), "r"(bytes), "r"(barrier)
                 : "memory");
  }
  asm volatile("{\n"
               ".reg .pred done;\n"
               "WAIT_%=:\n"
               "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
               "@done bra DONE_%=;\n"
               "bra WAIT_%=;\n"
               "DONE_%=:\n"
               "}" ::"r"(barrier),
               "r"(0)
               : "memory");
  for (u32 i = thread_index(); i < bytes / 4; i += block_size()) out[i] = tile[i];
}
