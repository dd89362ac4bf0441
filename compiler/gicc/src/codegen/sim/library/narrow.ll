
; ---- 8-bit floating point. A code's exponent and mantissa count the quanta of its binade, so that one sum makes it.

; The code of a value: least exponent, bits of the mantissa, and the code of the greatest finite value.
define i32 @sim.lib.code8(float %v, i32 %least, i32 %mantissa, i32 %most) {
  %w = bitcast float %v to i32
  %s = lshr i32 %w, 24
  %sign = and i32 %s, 128
  %nan = fcmp uno float %v, %v
  %a = call float @llvm.fabs.f32(float %v)
  %m = call float @llvm.minnum.f32(float %a, float 131072.0)
  %b = bitcast float %m to i32
  %eb = lshr i32 %b, 23
  %e = sub i32 %eb, 127
  %low = icmp slt i32 %e, %least
  %x = select i1 %low, i32 %least, i32 %e
  %up = sub i32 %mantissa, %x
  %sb = add i32 %up, 127
  %sc = shl i32 %sb, 23
  %scale = bitcast i32 %sc to float
  %q = fmul float %m, %scale
  %r = call float @llvm.roundeven.f32(float %q)
  %n = fptosi float %r to i32
  %d = sub i32 %x, %least
  %k = shl i32 %d, %mantissa
  %c = add i32 %k, %n
  %over = icmp sgt i32 %c, %most
  %f = select i1 %over, i32 %most, i32 %c
  %t = or i32 %f, %sign
  %u = select i1 %nan, i32 127, i32 %t
  ret i32 %u
}
define i32 @sim.lib.e4m3(float %v) {
  %r = call i32 @sim.lib.code8(float %v, i32 -6, i32 3, i32 126)
  ret i32 %r
}
define i32 @sim.lib.e5m2(float %v) {
  %r = call i32 @sim.lib.code8(float %v, i32 -14, i32 2, i32 123)
  ret i32 %r
}
; Values of codes: exact as f16.
define half @sim.lib.of_e5m2(i32 %c) {
  %w = shl i32 %c, 8
  %h = trunc i32 %w to i16
  %r = bitcast i16 %h to half
  ret half %r
}
define half @sim.lib.of_e4m3(i32 %c) {
  %low = and i32 %c, 127
  %m = shl i32 %low, 7
  %n = trunc i32 %m to i16
  %x = bitcast i16 %n to half
  %f = fpext half %x to float
  %g = fmul float %f, 256.0
  %h = fptrunc float %g to half
  %b = bitcast half %h to i16
  %s = and i32 %c, 128
  %t = shl i32 %s, 8
  %sign = trunc i32 %t to i16
  %v = or i16 %b, %sign
  %is = icmp eq i32 %low, 127
  %u = select i1 %is, i16 32767, i16 %v
  %r = bitcast i16 %u to half
  ret half %r
}
