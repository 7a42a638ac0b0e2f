// Rectifies the frames of a camera of 2560 x 2048 pixels of 16 bits: takes off what its sensor shows in the
// dark, undoes the distortion of its lens by a map of nodes, and finds how sharp each tile of 16 x 16 pixels
// is, which goes back to the host. Two frames are under way in two streams. A frame a round.
// At fault: the dark picture and the map of the lens, 7.9 MB that never change, are uploaded with each frame
// of 10.5 MB; they should stay on the GPU. The pattern is that of autowarefoundation/autoware_universe, pull
// request 11420: maps of a camera made once and kept in the GPU's memory.
#include <cuda_fp16.h>
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kWide = 2560, kHigh = 2048, kPixels = kWide * kHigh, kTile = 16, kSlots = 2, kRounds = 12000;
constexpr int kTilesWide = kWide / kTile, kTiles = kTilesWide * (kHigh / kTile), kThreads = 256;
constexpr int kApart = 4, kNodesWide = kWide / kApart + 1, kNodes = kNodesWide * (kHigh / kApart + 1);
constexpr int kNewRows = 64, kWarps = kThreads / 32;
constexpr unsigned kMask = 0xffffffffU;

struct Calibration {
  unsigned char* dark;
  float2* nodes;  // where pixels come from, for each fourth one of each fourth row
};

__device__ int own_thread() {
  return static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
}

// Four pixels a thread; corners of the sensor get less light.
__global__ void __launch_bounds__(kThreads)
    correct(float4* __restrict__ even, const ushort4* __restrict__ raw, const uchar4* __restrict__ dark) {
  const int i = own_thread(), column = i * 4 % kWide, row = i * 4 / kWide;
  const float x = static_cast<float>(column) / kWide - 0.5F, y = static_cast<float>(row) / kHigh - 0.5F;
  const float gain = (1 + 0.8F * (x * x + y * y)) / 256;
  const ushort4 light = raw[i];
  const uchar4 off = dark[i];
  even[i] = make_float4(gain * (light.x - off.x), gain * (light.y - off.y), gain * (light.z - off.z),
                        gain * (light.w - off.w));
}

__device__ float2 between(float2 one, float2 other, float share) {
  return make_float2(one.x + share * (other.x - one.x), one.y + share * (other.y - one.y));
}

__device__ float sample(const float* picture, float2 from) {
  const float x = fminf(fmaxf(from.x, 0), kWide - 1.01F), y = fminf(fmaxf(from.y, 0), kHigh - 1.01F);
  const int column = static_cast<int>(x), row = static_cast<int>(y);
  const float right = x - static_cast<float>(column), down = y - static_cast<float>(row);
  const float* at = picture + row * kWide + column;
  const float above = at[0] + right * (at[1] - at[0]);
  const float below = at[kWide] + right * (at[kWide + 1] - at[kWide]);
  return above + down * (below - above);
}

// Two pixels a thread.
__global__ void __launch_bounds__(kThreads)
    undistort(__half2* __restrict__ straight, const float* __restrict__ even,
              const float2* __restrict__ nodes) {
  const int i = own_thread(), column = i * 2 % kWide, row = i * 2 / kWide;
  const float2* node = nodes + row / kApart * kNodesWide + column / kApart;
  const float down = static_cast<float>(row % kApart) / kApart;
  const float2 west = between(node[0], node[kNodesWide], down),
               east = between(node[1], node[kNodesWide + 1], down);
  const float share = static_cast<float>(column % kApart) / kApart;
  straight[i] = __floats2half2_rn(sample(even, between(west, east, share)),
                                  sample(even, between(west, east, share + 1.0F / kApart)));
}

// A warp has a tile, eight pixel pairs of four rows at once; `total` is over all frames of a slot.
__global__ void __launch_bounds__(kThreads)
    find_sharpness(float* __restrict__ sharpness, float* __restrict__ total,
                   const __half2* __restrict__ straight) {
  const int tile = own_thread() / 32, lane = static_cast<int>(threadIdx.x % 32);
  const int column = tile % kTilesWide * kTile / 2 + lane % 8, first = tile / kTilesWide * kTile + lane / 8;
  float sum = 0;
  for (int row = first; row < first + kTile; row += 4) {
    const int at = row * (kWide / 2) + column;
    const float2 own = __half22float2(straight[at]);
    const float2 below = row + 1 < kHigh ? __half22float2(straight[at + kWide / 2]) : own;
    const float across = own.y - own.x, left = below.x - own.x, right = below.y - own.y;
    sum += 2 * across * across + left * left + right * right;
  }
  for (int far = 16; far > 0; far /= 2) sum += __shfl_xor_sync(kMask, sum, far);
  if (lane != 0) return;
  sharpness[tile] = sum;
  total[tile] += 1e-3F * sum;
}

struct Slot {
  unsigned short* host_raw;
  ushort4* raw;
  float4* even;
  __half2* straight;
  float *host_sharpness, *sharpness, *total;
  Calibration calibration;
  cudaStream_t stream;
};

struct Camera {
  Calibration host;
  Slot slots[kSlots];
  int frame;
  double sharpest;
};

Calibration new_calibration() {
  return {device_array<unsigned char>(kPixels), device_array<float2>(kNodes)};
}

void upload(const Calibration& to, const Calibration& from, cudaStream_t stream) {
  CHECK(cudaMemcpyAsync(to.dark, from.dark, kPixels, cudaMemcpyHostToDevice, stream));  // fault
  constexpr std::size_t kBytes = kNodes * sizeof(float2);
  CHECK(cudaMemcpyAsync(to.nodes, from.nodes, kBytes, cudaMemcpyHostToDevice, stream));  // fault
}

void calibrate(Calibration& host) {
  host = {pinned_array<unsigned char>(kPixels), pinned_array<float2>(kNodes)};
  for (int i = 0; i < kPixels; ++i)
    host.dark[i] = static_cast<unsigned char>(mixed_bits(~static_cast<unsigned>(i)) % 64);
  for (int i = 0; i < kNodes; ++i) {
    const auto column = static_cast<float>(i % kNodesWide * kApart),
               row = static_cast<float>(i / kNodesWide * kApart);
    const float x = column / kWide - 0.5F, y = row / kHigh - 0.5F, bent = 0.96F + 0.06F * (x * x + y * y);
    host.nodes[i] = make_float2((x * bent + 0.5F) * kWide, (y * bent + 0.5F) * kHigh);
  }
}

void prepare(Camera& camera, bool uploads_once) {
  calibrate(camera.host);
  const Calibration shared = new_calibration();
  for (Slot& slot : camera.slots) {
    CHECK(cudaStreamCreateWithFlags(&slot.stream, cudaStreamNonBlocking));
    slot = {pinned_array<unsigned short>(kPixels),
            device_array<ushort4>(kPixels / 4),
            device_array<float4>(kPixels / 4),
            device_array<__half2>(kPixels / 2),
            pinned_array<float>(kTiles),
            device_array<float>(kTiles),
            device_array<float>(kTiles),
            uploads_once ? shared : new_calibration(),
            slot.stream};
    CHECK(cudaMemset(slot.total, 0, kTiles * sizeof(float)));
    for (int i = 0; i < kPixels; ++i)
      slot.host_raw[i] = static_cast<unsigned short>(64 + mixed_bits(static_cast<unsigned>(i)) % 65000);
  }
  if (uploads_once) upload(shared, camera.host, nullptr);
}

void take_result(Camera& camera, const Slot& slot) {
  CHECK(cudaStreamSynchronize(slot.stream));
  camera.sharpest += *std::max_element(slot.host_sharpness, slot.host_sharpness + kTiles);
}

// Stands for the camera: something moves through a scene that stands still.
void expose(const Camera& camera, const Slot& slot) {
  unsigned short* rows = slot.host_raw + camera.frame % (kHigh / kNewRows) * kNewRows * kWide;
  const auto change = static_cast<unsigned short>(camera.frame * 77 % 4093);
  for (int i = 0; i < kNewRows * kWide; ++i) rows[i] = static_cast<unsigned short>(rows[i] ^ change) | 64;
}

void take_frame(Camera& camera, bool uploads_once) {
  const Slot& slot = camera.slots[camera.frame % kSlots];
  if (camera.frame >= kSlots) take_result(camera, slot);
  expose(camera, slot);
  ++camera.frame;
  if (!uploads_once) upload(slot.calibration, camera.host, slot.stream);  // fault
  CHECK(cudaMemcpyAsync(slot.raw, slot.host_raw, kPixels * sizeof(unsigned short), cudaMemcpyHostToDevice,
                        slot.stream));
  const auto* dark = reinterpret_cast<const uchar4*>(slot.calibration.dark);
  correct<<<kPixels / 4 / kThreads, kThreads, 0, slot.stream>>>(slot.even, slot.raw, dark);
  const auto* even = reinterpret_cast<const float*>(slot.even);
  undistort<<<kPixels / 2 / kThreads, kThreads, 0, slot.stream>>>(slot.straight, even,
                                                                  slot.calibration.nodes);
  find_sharpness<<<kTiles / kWarps, kThreads, 0, slot.stream>>>(slot.sharpness, slot.total, slot.straight);
  CHECK(cudaMemcpyAsync(slot.host_sharpness, slot.sharpness, kTiles * sizeof(float), cudaMemcpyDeviceToHost,
                        slot.stream));
}

Case make(bool uploads_once) {
  const auto camera = std::make_shared<Camera>();
  prepare(*camera, uploads_once);
  return {[=] { take_frame(*camera, uploads_once); },
          [=] {
            for (const Slot& slot : camera->slots) take_result(*camera, slot);
            return camera->sharpest + device_sum(camera->slots[0].total, kTiles);
          },
          kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(false); }, [] { return make(true); });
}
