// Packets that carry their own flag: one 16-byte word, and four scalars as published kernels do it.
#include "device.h"

extern "C" __global__ void send(u64 *slots, const u64 *data, u64 epoch, int n) {
  for (int i = thread_index(); i < n; i += block_size())
    asm volatile("{.reg .b128 t; mov.b128 t, {%1, %2}; st.relaxed.sys.global.b128 [%0], t;}" ::"l"(slots + 2 * i), "l"(data[i]),
                 "l"(epoch)
                 : "memory");
}

extern "C" __global__ void receive(const u64 *slots, u64 *out, u64 epoch, int n) {
  for (int i = thread_index(); i < n; i += block_size()) {
    u64 value, flag;
    do {
      asm volatile("{.reg .b128 t; ld.relaxed.sys.global.b128 t, [%2]; mov.b128 {%0, %1}, t;}"
                   : "=l"(value), "=l"(flag)
                   : "l"(slots + 2 * i)
                   : "memory");
    } while (flag != epoch);
    out[i] = value;
  }
}

extern "C" __global__ void receive_scalars(const u32 *packets, u32 *out, u32 flag) {
  u32 a, b, f, g;
  do {
    asm volatile("ld.volatile.global.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(a), "=r"(f), "=r"(b), "=r"(g) : "l"(packets + 4 * thread_index()));
  } while (f != flag || g != flag);
  out[2 * thread_index()] = a;
  out[2 * thread_index() + 1] = b;
}
