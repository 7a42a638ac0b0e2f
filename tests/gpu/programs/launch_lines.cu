// Launches that nvcc puts functions of its own between: of templates, of kernels in namespaces, and inside of
// functions that the compiler inlines. Each names its kernel behind its line.
#include <cstdio>

namespace app {
template <class T, int kStep>
__global__ void scale(T* a, T by, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) a[i] *= by + kStep;
}
__global__ void shift(float* a, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) a[i] += 1;
}
}  // namespace app
namespace {
template <class T>
__global__ void hidden(T* a, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) a[i] -= 1;
}
__global__ void plain(float* a, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) a[i] /= 2;
}

inline void scale_by_three(float* a, int n) {
  app::scale<float, 3><<<n / 256, 256>>>(a, 1.5F, n);  // launches scale<float, 3>
}
template <class T>
void scale_by_seven(T* a, int n) {
  app::scale<T, 7><<<n / 256, 256>>>(a, T(2), n);  // launches scale<float, 7>
}
}  // namespace

int main() {
  constexpr int kCount = 1 << 20;
  float* a = nullptr;
  cudaMalloc(&a, kCount * sizeof(float));
  for (int round = 0; round < 30; ++round) {
    scale_by_three(a, kCount);
    scale_by_seven(a, kCount);
    app::shift<<<kCount / 256, 256>>>(a, kCount);  // launches shift
    hidden<<<kCount / 256, 256>>>(a, kCount);      // launches hidden<float>
    plain<<<kCount / 256, 256>>>(a, kCount);       // launches plain
  }
  std::printf("%s\n", cudaDeviceSynchronize() == cudaSuccess ? "right" : "wrong");
}
