// 64 operations in a row, each on two tensors of 8 x 16 x 32 x 64 values that may be broadcast.
// At fault: before each kernel three copies of 16 bytes bring sizes and strides. The pattern is that of
// chelsea0x3b/dfdx, issue 609: these copies take longer than the kernels; here sizes and strides are
// parameters of the kernel, as torch/cutorch, issue 207, measures it.
#include <array>

#include "../case.cuh"

namespace {

constexpr int kAxes = 4, kValues = 8 * 16 * 32 * 64, kTensors = 8, kOperations = 64, kThreads = 256;

struct Axes {
  int numbers[kAxes];
};

struct Layout {
  Axes sizes, one, other;
};

__device__ void place_of(int& one, int& other, int i, const Layout& layout) {
  one = 0;
  other = 0;
#pragma unroll
  for (int axis = kAxes - 1; axis >= 0; --axis) {
    const int size = layout.sizes.numbers[axis], place = i % size;
    i /= size;
    one += place * layout.one.numbers[axis];
    other += place * layout.other.numbers[axis];
  }
}

__global__ void mean_of_two(float* out, const float* ones, const float* others, const Axes* sizes,
                            const Axes* strides, const Axes* other_strides) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  int one, other;
  place_of(one, other, i, {*sizes, *strides, *other_strides});
  out[i] = 0.5F * (ones[one] + others[other]);
}

__global__ void mean_by_parameters(float* out, const float* ones, const float* others, Layout layout) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  int one, other;
  place_of(one, other, i, layout);
  out[i] = 0.5F * (ones[one] + others[other]);
}

// The second tensor is as large as the first, or one value for each of the last axis, or a matrix.
Layout layout_of(int operation) {
  constexpr Axes kSizes{{8, 16, 32, 64}}, kAll{{32768, 2048, 64, 1}}, kLast{{0, 0, 0, 1}},
      kMatrix{{0, 0, 64, 1}};
  return {kSizes, kAll, operation % 3 == 0 ? kAll : operation % 3 == 1 ? kLast : kMatrix};
}

void upload(Axes* to, const Axes* from) {
  CHECK(cudaMemcpyAsync(to, from, sizeof(Axes), cudaMemcpyHostToDevice));  // fault
}

Case make(bool uploads) {
  std::array<float*, kTensors> tensors{};
  for (unsigned i = 0; i < kTensors; ++i) {
    tensors[i] = device_array<float>(kValues);
    fill_fractions(tensors[i], kValues, i);
  }
  auto* layouts = pinned_array<Layout>(kOperations);
  for (int i = 0; i < kOperations; ++i) layouts[i] = layout_of(i);
  auto* layout = device_array<Layout>(1);
  return {[=] {
            for (int i = 0; i < kOperations; ++i) {
              float* out = tensors[(i + 1) % kTensors];
              const float *one = tensors[i % kTensors], *other = tensors[(i + 3) % kTensors];
              if (uploads) {
                upload(&layout->sizes, &layouts[i].sizes);  // fault
                upload(&layout->one, &layouts[i].one);      // fault
                upload(&layout->other, &layouts[i].other);  // fault
                mean_of_two<<<kValues / kThreads, kThreads>>>(out, one, other, &layout->sizes, &layout->one,
                                                              &layout->other);
              } else {
                mean_by_parameters<<<kValues / kThreads, kThreads>>>(out, one, other, layouts[i]);
              }
            }
          },
          [=] { return device_sum(tensors[0], kValues); }, 400};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
