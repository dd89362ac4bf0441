// Headers of the standard library that bring <new> with them, as a source has them for its host code, beside new and delete on
// the device.
// RUN: %gicc %s -o - | FileCheck %s
#include <array>
#include <iostream>
#include <map>
#include <new>
#include <unordered_map>
#include <vector>

struct Host {
  std::map<std::array<unsigned char, 64>, char *> handles;
  std::vector<void *> pointers;
  void say() const { std::cout << handles.size() + pointers.size(); }
};

// CHECK: .visible .entry makes(
// CHECK: malloc
// CHECK: free
extern "C" __global__ void makes(int *out, int n) {
  int *made = new int[n];
  for (int i = 0; i < n; ++i) made[i] = out[i];
  out[0] = made[n - 1];
  delete[] made;
}
