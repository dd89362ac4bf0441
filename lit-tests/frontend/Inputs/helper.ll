; Linked by two_inputs.cu.
target triple = "nvptx64-nvidia-cuda"
define i32 @helper(i32 %x) {
  %y = mul i32 %x, 3
  ret i32 %y
}
