// Heat in a plate of 4096 x 4096 values, two steps a round; each 16th round keeps a picture of it on the
// host.
// Nothing is wrong: a copy on the device holds the picture while another stream brings it to pinned
// memory, beside the next steps. The pattern is that of asynchronous output in AMReX-Codes/amrex,
// Src/Base/AMReX_AsyncOut.cpp.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kSide = 4096, kThreads = 256, kFours = kSide / 4, kEach = 16, kRounds = 1600;
constexpr std::size_t kValues = std::size_t{kSide} * kSide, kBytes = kValues * sizeof(float);

__device__ float4 sum_of(float4 a, float4 b) {
  return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}

// A thread takes four values of a row; the plate has no edges.
__global__ void spread_heat(float4* out, const float4* in) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x), y = static_cast<int>(blockIdx.y);
  const float4* row = in + y * kFours;
  const float4 here = row[x];
  const float before = row[(x + kFours - 1) % kFours].w, after = row[(x + 1) % kFours].x;
  const float4 beside = make_float4(before + here.y, here.x + here.z, here.y + here.w, here.z + after);
  const float4 around =
      sum_of(beside, sum_of(in[(y + kSide - 1) % kSide * kFours + x], in[(y + 1) % kSide * kFours + x]));
  out[y * kFours + x] =
      make_float4(here.x + 0.2F * (around.x - 4 * here.x), here.y + 0.2F * (around.y - 4 * here.y),
                  here.z + 0.2F * (around.z - 4 * here.z), here.w + 0.2F * (around.w - 4 * here.w));
}

Case make() {
  auto* field = device_array<float>(kValues);
  auto* other = device_array<float>(kValues);
  auto* held = device_array<float>(kValues);
  auto* picture = pinned_array<float>(kValues);
  fill_fractions(field, kValues, 1);
  cudaStream_t compute = nullptr, output = nullptr;
  CHECK(cudaStreamCreateWithFlags(&compute, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&output, cudaStreamNonBlocking));
  cudaEvent_t taken = nullptr, written = nullptr;
  CHECK(cudaEventCreateWithFlags(&taken, cudaEventDisableTiming));
  CHECK(cudaEventCreateWithFlags(&written, cudaEventDisableTiming));
  auto number = std::make_shared<int>(0);
  return {[=] {
            const dim3 blocks(kFours / kThreads, kSide);
            auto *one = reinterpret_cast<float4*>(field), *two = reinterpret_cast<float4*>(other);
            spread_heat<<<blocks, kThreads, 0, compute>>>(two, one);
            spread_heat<<<blocks, kThreads, 0, compute>>>(one, two);
            if ((*number)++ % kEach != 0) return;
            CHECK(cudaStreamWaitEvent(compute, written));
            CHECK(cudaMemcpyAsync(held, field, kBytes, cudaMemcpyDeviceToDevice, compute));
            CHECK(cudaEventRecord(taken, compute));
            CHECK(cudaStreamWaitEvent(output, taken));
            CHECK(cudaMemcpyAsync(picture, held, kBytes, cudaMemcpyDeviceToHost, output));
            CHECK(cudaEventRecord(written, output));
          },
          [=] {
            double sum = device_sum(field, kValues);
            for (std::size_t i = 0; i < kValues; i += 64) sum += picture[i];
            return sum;
          },
          kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, {}, make);
}
