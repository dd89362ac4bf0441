; A kernel that does nothing.
target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @k() {
  ret void
}
