// Adds noise to the pixels of an image; each thread draws its number through a shuffle table of 16 words of
// its own. At fault: a thread's table is contiguous in shared memory, so that the lanes' entries lie 16 words
// apart, in two banks. The pattern is that of zjin-lcf/HeCBench, src/urng-cuda/kernel.cu, before and after
// the change of its index.
#include "../case.cuh"

namespace {

constexpr int kPixels = 4096 * 4096, kThreads = 256, kEntries = 16;

// The minimal standard generator of Park and Miller, without overflow.
__device__ int next_number(int number) {
  constexpr int kFactor = 16807, kModulus = 2147483647, kQuotient = 127773, kRemainder = 2836;
  const int k = number / kQuotient;
  number = kFactor * (number - k * kQuotient) - kRemainder * k;
  return number < 0 ? number + kModulus : number;
}

__device__ uchar4 brighter(uchar4 pixel, float by) {
  const auto channel = [by](unsigned char value) {
    return static_cast<unsigned char>(fminf(fmaxf(static_cast<float>(value) + by, 0.0F), 255.0F));
  };
  return make_uchar4(channel(pixel.x), channel(pixel.y), channel(pixel.z), channel(pixel.w));
}

constexpr int kDivisor = 1 + 2147483646 / kEntries;

__global__ void noise_table_by_thread(uchar4* out, const uchar4* in, int pixels, float strength) {
  __shared__ int table[kThreads * kEntries];
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x),
            thread = static_cast<int>(threadIdx.x);
  if (i >= pixels) return;
  const uchar4 pixel = in[i];
  int number = 1 + pixel.x + pixel.y + pixel.z + pixel.w + (i & 1023);
  for (int entry = 0; entry < kEntries; ++entry) {
    number = next_number(number);
    table[thread * kEntries + entry] = number;  // fault
  }
  const int chosen = table[thread * kEntries] / kDivisor;
  const float drawn = static_cast<float>(table[thread * kEntries + chosen]) * (1.0F / 2147483647.0F);
  out[i] = brighter(pixel, (drawn - 0.5F) * strength);
}

__global__ void noise_table_by_entry(uchar4* out, const uchar4* in, int pixels, float strength) {
  __shared__ int table[kThreads * kEntries];
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x),
            thread = static_cast<int>(threadIdx.x);
  if (i >= pixels) return;
  const uchar4 pixel = in[i];
  int number = 1 + pixel.x + pixel.y + pixel.z + pixel.w + (i & 1023);
  for (int entry = 0; entry < kEntries; ++entry) {
    number = next_number(number);
    table[entry * kThreads + thread] = number;
  }
  const int chosen = table[thread] / kDivisor;
  const float drawn = static_cast<float>(table[chosen * kThreads + thread]) * (1.0F / 2147483647.0F);
  out[i] = brighter(pixel, (drawn - 0.5F) * strength);
}

Case make(bool by_thread) {
  auto* in = device_array<uchar4>(kPixels);
  auto* out = device_array<uchar4>(kPixels);
  fill_below(reinterpret_cast<unsigned*>(in), kPixels, 0xffffffffU, 1);
  return {[=] {
            auto* kernel = by_thread ? noise_table_by_thread : noise_table_by_entry;
            kernel<<<blocks_for(kPixels, kThreads), kThreads>>>(out, in, kPixels, 40.0F);
          },
          [=] { return device_sum(reinterpret_cast<unsigned char*>(out + kPixels / 2), 4096); }, 700};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
