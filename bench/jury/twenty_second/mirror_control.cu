// Controls the mirror of a telescope that takes out the blur of the air: a sensor splits the light into 64 x
// 64 spots, the places of the spots tell how the wave is bent, a matrix turns them into how far each of 4096
// actuators is off, and the mirror follows. Eight frames of the sensor a round, as one graph.
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kSpotsWide = 64, kSpots = kSpotsWide * kSpotsWide, kSlopes = 2 * kSpots, kActuators = 4096;
constexpr int kSpot = 8, kSide = kSpotsWide * kSpot, kPixels = kSide * kSide, kFrames = 64, kThreads = 256;
constexpr int kWarps = kThreads / 32, kFramesOfRound = 8, kSlots = 2, kRounds = 8000;
constexpr int kEight = 8, kChunks = kSlopes / kEight;  // numbers of 16 bits are read by eights
constexpr float kKeep = 0.95F, kGain = 0.1F, kFarthest = 3, kDark = 0.04F;
constexpr unsigned kMask = 0xffffffffU;

struct Slot {
  float* host_mirror;
  cudaEvent_t downloaded;
  cudaGraphExec_t graph;
};

struct Loop {
  float* frames;
  __half2* slopes;
  uint4* matrix;
  float *errors, *mirror, *residuals;
  int* clock;
  Slot slots[kSlots];
  cudaStream_t stream;
  int round;
  double seen;
};

// Eight lanes have a spot, each of them a row of its pixels.
__global__ void __launch_bounds__(kThreads)
    find_spots(__half2* __restrict__ slopes, const float* __restrict__ frames,
               const int* __restrict__ clock) {
  const auto i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const int spot = i / kSpot, row = i % kSpot;
  const float* frame = frames + static_cast<std::size_t>(*clock % kFrames) * kPixels;
  const int at = (spot / kSpotsWide * kSpot + row) * kSide + spot % kSpotsWide * kSpot;
  const auto* pixels = reinterpret_cast<const float4*>(frame + at);
  const float4 a = pixels[0], b = pixels[1];
  const float light[kSpot] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w};
  float all = 0, across = 0;
#pragma unroll
  for (int column = 0; column < kSpot; ++column) {
    const float above = fmaxf(light[column] - kDark, 0);
    all += above;
    across += above * (static_cast<float>(column) - 3.5F);
  }
  float down = all * (static_cast<float>(row) - 3.5F);
  for (int far = kSpot / 2; far > 0; far /= 2) {
    all += __shfl_xor_sync(kMask, all, far);
    across += __shfl_xor_sync(kMask, across, far);
    down += __shfl_xor_sync(kMask, down, far);
  }
  if (row == 0) slopes[spot] = __floats2half2_rn(across / (all + 1e-3F), down / (all + 1e-3F));
}

__device__ float dot_of_eight(const uint4& a, const uint4& b) {
  const auto* x = reinterpret_cast<const __half2*>(&a);
  const auto* y = reinterpret_cast<const __half2*>(&b);
  float sum = 0;
#pragma unroll
  for (int i = 0; i < kEight / 2; ++i) {
    const float2 one = __half22float2(x[i]), other = __half22float2(y[i]);
    sum += one.x * other.x + one.y * other.y;
  }
  return sum;
}

// A warp has an actuator, a block eight of them.
__global__ void __launch_bounds__(kThreads)
    reconstruct(float* __restrict__ errors, const uint4* __restrict__ matrix,
                const uint4* __restrict__ slopes) {
  __shared__ uint4 held[kChunks];
  for (int i = static_cast<int>(threadIdx.x); i < kChunks; i += kThreads)
    __pipeline_memcpy_async(&held[i], slopes + i, sizeof(uint4));
  __pipeline_commit();
  const auto lane = static_cast<int>(threadIdx.x % 32), warp = static_cast<int>(threadIdx.x / 32);
  const int actuator = static_cast<int>(blockIdx.x) * kWarps + warp;
  const uint4* row = matrix + static_cast<std::size_t>(actuator) * kChunks;
  __pipeline_wait_prior(0);
  __syncthreads();
  float sum = 0;
#pragma unroll 8
  for (int i = lane; i < kChunks; i += 32) sum += dot_of_eight(__ldg(row + i), held[i]);
  for (int far = 16; far > 0; far /= 2) sum += __shfl_xor_sync(kMask, sum, far);
  if (lane == 0) errors[actuator] = sum;
}

// The mirror follows, and forgets slowly. `residuals` are over all frames, block by block.
__global__ void __launch_bounds__(kThreads)
    move_mirror(float* __restrict__ mirror, float* __restrict__ residuals, int* __restrict__ clock,
                const float* __restrict__ errors) {
  __shared__ float warps[kWarps];
  const auto actuator = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const float error = errors[actuator];
  mirror[actuator] = fminf(fmaxf(kKeep * mirror[actuator] - kGain * error, -kFarthest), kFarthest);
  float sum = error * error;
  for (int far = 16; far > 0; far /= 2) sum += __shfl_xor_sync(kMask, sum, far);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int i = 1; i < kWarps; ++i) sum += warps[i];
  residuals[blockIdx.x] += 1e-3F * sum;
  if (blockIdx.x == 0) *clock += 1;
}

// Spots that wander, slowly and each in its own way, on a background.
__global__ void __launch_bounds__(kThreads) fill_frames(float* frames) {
  const auto i = static_cast<unsigned>(blockIdx.x * kThreads + threadIdx.x);
  const unsigned pixel = i % kPixels, frame = i / kPixels;
  const unsigned x = pixel % kSide, y = pixel / kSide, spot = y / kSpot * kSpotsWide + x / kSpot;
  const float when = 6.2831853F * static_cast<float>(frame) / kFrames;
  const float middle_x = 3.5F + 1.2F * __sinf(when + 6.2831853F * mixed_fraction(spot));
  const float middle_y = 3.5F + 1.2F * __cosf(2 * when + 6.2831853F * mixed_fraction(spot + kSpots));
  const float dx = static_cast<float>(x % kSpot) - middle_x, dy = static_cast<float>(y % kSpot) - middle_y;
  frames[i] = __expf(-0.6F * (dx * dx + dy * dy)) + 0.05F * mixed_fraction(i);
}

// Actuators answer most to spots that are near to them.
__global__ void __launch_bounds__(kThreads) fill_matrix(__half* matrix) {
  const auto i = static_cast<unsigned>(blockIdx.x * kThreads + threadIdx.x);
  const unsigned actuator = i / kSlopes, spot = i % kSlopes / 2;
  const float dx = static_cast<float>(actuator % kSpotsWide) - static_cast<float>(spot % kSpotsWide);
  const float dy = static_cast<float>(actuator / kSpotsWide) - static_cast<float>(spot / kSpotsWide);
  matrix[i] = __float2half(0.1F * __expf(-0.002F * (dx * dx + dy * dy)) * (mixed_fraction(i) - 0.5F));
}

void enqueue_frame(const Loop& loop) {
  find_spots<<<kSpots * kSpot / kThreads, kThreads, 0, loop.stream>>>(loop.slopes, loop.frames, loop.clock);
  reconstruct<<<kActuators / kWarps, kThreads, 0, loop.stream>>>(loop.errors, loop.matrix,
                                                                 reinterpret_cast<const uint4*>(loop.slopes));
  move_mirror<<<kActuators / kThreads, kThreads, 0, loop.stream>>>(loop.mirror, loop.residuals, loop.clock,
                                                                   loop.errors);
}

cudaGraphExec_t new_graph(const Loop& loop, const Slot& slot) {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  CHECK(cudaStreamBeginCapture(loop.stream, cudaStreamCaptureModeThreadLocal));
  for (int frame = 0; frame < kFramesOfRound; ++frame) enqueue_frame(loop);
  CHECK(cudaMemcpyAsync(slot.host_mirror, loop.mirror, kActuators * sizeof(float), cudaMemcpyDeviceToHost,
                        loop.stream));
  CHECK(cudaStreamEndCapture(loop.stream, &graph));
  CHECK(cudaGraphInstantiate(&executable, graph, 0));
  CHECK(cudaGraphDestroy(graph));
  return executable;
}

// The host looks at the mirror of two rounds before.
void follow(Loop& loop) {
  const Slot& slot = loop.slots[loop.round++ % kSlots];
  CHECK(cudaEventSynchronize(slot.downloaded));
  for (int actuator = 0; actuator < kActuators; actuator += 64)
    loop.seen += std::fabs(slot.host_mirror[actuator]);
  CHECK(cudaGraphLaunch(slot.graph, loop.stream));
  CHECK(cudaEventRecord(slot.downloaded, loop.stream));
}

Case make() {
  const auto loop = std::make_shared<Loop>();
  loop->frames = device_array<float>(std::size_t{kFrames} * kPixels);
  loop->slopes = device_array<__half2>(kSpots);
  loop->matrix = device_array<uint4>(std::size_t{kActuators} * kChunks);
  loop->errors = device_array<float>(kActuators);
  loop->mirror = device_array<float>(kActuators);
  loop->residuals = device_array<float>(kActuators / kThreads);
  loop->clock = device_array<int>(1);
  fill_frames<<<kFrames * kPixels / kThreads, kThreads>>>(loop->frames);
  fill_matrix<<<kActuators * kSlopes / kThreads, kThreads>>>(reinterpret_cast<__half*>(loop->matrix));
  CHECK(cudaGetLastError());
  CHECK(cudaMemset(loop->mirror, 0, kActuators * sizeof(float)));
  CHECK(cudaMemset(loop->residuals, 0, kActuators / kThreads * sizeof(float)));
  CHECK(cudaMemset(loop->clock, 0, sizeof(int)));
  CHECK(cudaStreamCreateWithFlags(&loop->stream, cudaStreamNonBlocking));
  for (Slot& slot : loop->slots) {
    slot.host_mirror = pinned_array<float>(kActuators);
    std::fill_n(slot.host_mirror, kActuators, 0.0F);
    CHECK(cudaEventCreateWithFlags(&slot.downloaded, cudaEventDisableTiming));
    slot.graph = new_graph(*loop, slot);
  }
  CHECK(cudaDeviceSynchronize());
  return {[=] { follow(*loop); },
          [=] { return 1e-3 * loop->seen + device_sum(loop->residuals, kActuators / kThreads); }, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, nullptr, [] { return make(); });
}
