// Calls of NVSHMEM that stay calls are what their names say; an unknown function is an assumption.
// RUN: %gicc explain %s | FileCheck %s
extern "C" __device__ void nvshmem_float_put_nbi(float *to, const float *from, unsigned long n, int pe);
extern "C" __device__ void nvshmem_fence();
extern "C" __device__ void *nvshmem_ptr(const void *p, int pe);
extern "C" __device__ void nvshmemx_signal_op(unsigned long *to, unsigned long value, int op, int pe);
extern "C" __device__ void nvshmem_signal_wait_until(unsigned long *flag, int compare, unsigned long value);
extern "C" __device__ void somebody(float *p);

// CHECK: kernel ring
extern "C" __global__ void ring(float *data, unsigned long *flag, int next) {
  // CHECK: nvshmem_signal_wait_until(flag
  // CHECK-NEXT: poll: call nvshmem_signal_wait_until
  nvshmem_signal_wait_until(flag, 0, 1);
  // CHECK: nvshmem_float_put_nbi(data
  // CHECK-NEXT: remote data store: call nvshmem_float_put_nbi
  nvshmem_float_put_nbi(data, data, 128, next);
  // CHECK: nvshmem_fence();
  // CHECK-NEXT: fence: call nvshmem_fence
  nvshmem_fence();
  // CHECK: nvshmemx_signal_op(flag
  // CHECK-NEXT: signal: call nvshmemx_signal_op
  nvshmemx_signal_op(flag, 1, 0, next);
  // CHECK: *(float *)nvshmem_ptr(data, next) = 1;
  // CHECK-NEXT: remote data store: st 4 bytes, what `nvshmem_ptr` returned
  *(float *)nvshmem_ptr(data, next) = 1;
  somebody(data);
  // CHECK: taken for granted: `somebody` is defined nowhere: it is taken to do nothing that communicates
}
