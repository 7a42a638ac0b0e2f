// Solar parks seen by a drone with a thermal camera: counts become temperatures, single wild pixels are taken
// out, each panel is compared with the panels around it, and a book of hot panels is kept. Twenty flights
// over a part of a park a round.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kWide = 1280, kHigh = 1024, kFrames = 12, kPixels = kWide * kHigh, kAll = kFrames * kPixels;
constexpr int kThreads = 256, kPanelWide = 64, kPanelHigh = 32, kAcross = kWide / kPanelWide;
constexpr int kDown = kHigh / kPanelHigh, kPanels = kAcross * kDown, kAllPanels = kFrames * kPanels;
constexpr int kQuadsWide = kPanelWide / 4, kRowsAtOnce = kThreads / kQuadsWide;
constexpr int kParts = kPanelHigh / kRowsAtOnce, kFlights = 4, kFlightsOfRound = 20, kRounds = 420;
constexpr unsigned kMask = 0xffffffffU;
constexpr float kHot = 4;  // degrees above the panels around

// What the air and the glass do to the light that the camera sees.
struct Air {
  float emits, reflected;
};

struct Drone {
  unsigned short* counts[kFlights];
  float *gain, *offset;  // of each pixel of the camera
  float *degrees, *smooth;
  float *means, *excess;  // of panels
  float* book;
  int flight = 0;
};

// Blocks of pixels and who has which of them.
struct Squares {
  static constexpr int kX = 16, kY = 16;
  static dim3 blocks() { return {kHigh / kX, kWide / kY, kFrames}; }
  __device__ static int row() { return static_cast<int>(blockIdx.x * kX + threadIdx.x); }     // fault
  __device__ static int column() { return static_cast<int>(blockIdx.y * kY + threadIdx.y); }  // fault
};

struct Strips {
  static constexpr int kX = 32, kY = 8;
  static dim3 blocks() { return {kWide / kX, kHigh / kY, kFrames}; }
  __device__ static int row() { return static_cast<int>(blockIdx.y * kY + threadIdx.y); }
  __device__ static int column() { return static_cast<int>(blockIdx.x * kX + threadIdx.x); }
};

// The camera's own curve, in degrees Celsius.
__device__ float degrees_of(float count, Air air) {
  const float light = (count - (1 - air.emits) * air.reflected) / air.emits;
  return 1501 / __logf(21106.77F / (0.012545258F * fmaxf(light - 7340, 1.0F)) + 1) - 273.15F;
}

template <class Pixels>
__global__ void __launch_bounds__(kThreads)
    to_degrees(float* __restrict__ degrees, const unsigned short* __restrict__ counts,
               const float* __restrict__ gain, const float* __restrict__ offset, Air air) {
  const int at = Pixels::row() * kWide + Pixels::column();
  const int i = static_cast<int>(blockIdx.z) * kPixels + at;
  const float count = static_cast<float>(counts[i]) * gain[at] + offset[at];  // fault
  degrees[i] = degrees_of(count, air);                                        // fault
}

__device__ void order(float& low, float& high) {
  const float least = fminf(low, high);
  high = fmaxf(low, high);
  low = least;
}

__device__ float middle_of(float one, float two, float three) {
  return fmaxf(fminf(one, two), fminf(fmaxf(one, two), three));
}

// The middle one of nine: columns are put in order first.
__global__ void __launch_bounds__(kThreads)
    take_median(float* __restrict__ smooth, const float* __restrict__ degrees) {
  const int x = static_cast<int>(blockIdx.x) * 32 + static_cast<int>(threadIdx.x);
  const int y = static_cast<int>(blockIdx.y) * 8 + static_cast<int>(threadIdx.y);
  const float* frame = degrees + static_cast<int>(blockIdx.z) * kPixels;
  const float* rows[3] = {frame + max(y - 1, 0) * kWide, frame + y * kWide,
                          frame + min(y + 1, kHigh - 1) * kWide};
  const int columns[3] = {max(x - 1, 0), x, min(x + 1, kWide - 1)};
  float low[3], middle[3], high[3];
#pragma unroll
  for (int k = 0; k < 3; ++k) {
    low[k] = rows[0][columns[k]];
    middle[k] = rows[1][columns[k]];
    high[k] = rows[2][columns[k]];
    order(low[k], middle[k]);
    order(middle[k], high[k]);
    order(low[k], middle[k]);
  }
  smooth[static_cast<int>(blockIdx.z) * kPixels + y * kWide + x] =
      middle_of(fmaxf(fmaxf(low[0], low[1]), low[2]), middle_of(middle[0], middle[1], middle[2]),
                fminf(fminf(high[0], high[1]), high[2]));
}

__device__ float block_sum(float sum) {
  __shared__ float warps[kThreads / 32];
  const auto thread = static_cast<int>(threadIdx.x);
  for (int far = 16; far > 0; far /= 2) sum += __shfl_xor_sync(kMask, sum, far);
  if (thread % 32 == 0) warps[thread / 32] = sum;
  __syncthreads();
  if (thread == 0)
    for (int warp = 1; warp < kThreads / 32; ++warp) sum += warps[warp];
  return sum;
}

// Where a thread's first four pixels of a block's panel are.
__device__ int first_quad() {
  const auto thread = static_cast<int>(threadIdx.x);
  const int row = static_cast<int>(blockIdx.y) * kPanelHigh + thread / kQuadsWide;
  const int quad = static_cast<int>(blockIdx.x) * kQuadsWide + thread % kQuadsWide;
  return (static_cast<int>(blockIdx.z) * kPixels + row * kWide) / 4 + quad;
}

__device__ int own_panel() {
  return static_cast<int>(blockIdx.z) * kPanels + static_cast<int>(blockIdx.y) * kAcross +
         static_cast<int>(blockIdx.x);
}

__global__ void __launch_bounds__(kThreads)
    average_panels(float* __restrict__ means, const float4* __restrict__ smooth) {
  const int first = first_quad();
  float sum = 0;
#pragma unroll
  for (int part = 0; part < kParts; ++part) {
    const float4 four = smooth[first + part * kRowsAtOnce * (kWide / 4)];
    sum += (four.x + four.y) + (four.z + four.w);
  }
  sum = block_sum(sum);
  if (threadIdx.x == 0) means[own_panel()] = sum / (kPanelWide * kPanelHigh);
}

// The mean of the panels around the block's own.
__device__ float around(const float* __restrict__ means) {
  const auto x = static_cast<int>(blockIdx.x), y = static_cast<int>(blockIdx.y);
  const float* frame = means + static_cast<int>(blockIdx.z) * kPanels;
  float sum = 0;
#pragma unroll
  for (int k = 0; k < 9; ++k) {
    const int row = min(max(y + k / 3 - 1, 0), kDown - 1), column = min(max(x + k % 3 - 1, 0), kAcross - 1);
    if (k != 4) sum += frame[row * kAcross + column];
  }
  return sum / 8;
}

// How much of a panel is hot, and by how much.
__global__ void __launch_bounds__(kThreads)
    find_excess(float* __restrict__ excess, const float4* __restrict__ smooth,
                const float* __restrict__ means) {
  const int first = first_quad();
  const float limit = around(means) + kHot;
  float sum = 0;
#pragma unroll
  for (int part = 0; part < kParts; ++part) {
    const float4 four = smooth[first + part * kRowsAtOnce * (kWide / 4)];
    sum += (fmaxf(four.x - limit, 0) + fmaxf(four.y - limit, 0)) +
           (fmaxf(four.z - limit, 0) + fmaxf(four.w - limit, 0));
  }
  sum = block_sum(sum);
  if (threadIdx.x == 0) excess[own_panel()] = sum / (kPanelWide * kPanelHigh);
}

__global__ void __launch_bounds__(kThreads)
    keep_book(float* __restrict__ book, const float* __restrict__ excess, const float* __restrict__ means) {
  const auto i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  if (i < kAllPanels) book[i] = 0.97F * book[i] + 0.03F * (excess[i] + 0.01F * means[i]);
}

// Panels with edges, a few warm ones, a few with a hot spot, and wild pixels.
__global__ void __launch_bounds__(kThreads) fly(unsigned short* counts, unsigned flight) {
  const auto i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const int x = i % kWide, y = i / kWide;
  const auto panel = static_cast<unsigned>(y / kPanelHigh * kAcross + x / kPanelWide);
  const int across = x % kPanelWide, down = y % kPanelHigh;
  const auto noise = static_cast<unsigned>(i) + flight * 40000003U;
  float count = 16000 + 60 * mixed_fraction(noise) + 150 * mixed_fraction(panel);
  if (across < 2 || down < 2) count -= 900;
  if (mixed_fraction(panel + 5) < 0.04F) count += 500;
  if (mixed_fraction(panel + 9) < 0.06F && across / 12 == 2 && down / 10 == 1) count += 1500;
  if (mixed_fraction(noise + 77) < 0.001F) count += 4000;
  counts[i] = static_cast<unsigned short>(count);
}

__global__ void __launch_bounds__(kThreads) measure_camera(float* gain, float* offset) {
  const auto i = static_cast<unsigned>(blockIdx.x * kThreads + threadIdx.x);
  gain[i] = 0.99F + 0.02F * mixed_fraction(i);
  offset[i] = 40 * mixed_fraction(i + 3000017U) - 20;
}

template <class Pixels>
void look_over(Drone& drone) {
  const int number = drone.flight++;
  const auto time = static_cast<float>(number);
  const Air air = {0.9F + 0.03F * std::sin(0.02F * time), 13000 + 300 * std::sin(0.013F * time)};
  to_degrees<Pixels><<<Pixels::blocks(), dim3(Pixels::kX, Pixels::kY)>>>(              // fault
      drone.degrees, drone.counts[number % kFlights], drone.gain, drone.offset, air);  // fault
  take_median<<<dim3(kWide / 32, kHigh / 8, kFrames), dim3(32, 8)>>>(drone.smooth, drone.degrees);
  const dim3 panels(kAcross, kDown, kFrames);
  average_panels<<<panels, kThreads>>>(drone.means, reinterpret_cast<const float4*>(drone.smooth));
  find_excess<<<panels, kThreads>>>(drone.excess, reinterpret_cast<const float4*>(drone.smooth), drone.means);
  keep_book<<<blocks_for(kAllPanels, kThreads), kThreads>>>(drone.book, drone.excess, drone.means);
}

template <class Pixels>
Case make() {
  const auto drone = std::make_shared<Drone>();
  for (unsigned flight = 0; flight < kFlights; ++flight) {
    drone->counts[flight] = device_array<unsigned short>(kAll);
    fly<<<kAll / kThreads, kThreads>>>(drone->counts[flight], flight);
  }
  drone->gain = device_array<float>(kPixels);
  drone->offset = device_array<float>(kPixels);
  measure_camera<<<kPixels / kThreads, kThreads>>>(drone->gain, drone->offset);
  drone->degrees = device_array<float>(kAll);
  drone->smooth = device_array<float>(kAll);
  for (float** list : {&drone->means, &drone->excess, &drone->book}) *list = device_array<float>(kAllPanels);
  CHECK(cudaMemset(drone->book, 0, kAllPanels * sizeof(float)));
  const auto round = [=] {
    for (int i = 0; i < kFlightsOfRound; ++i) look_over<Pixels>(*drone);
  };
  const auto sum = [=] {
    return device_sum(drone->book, kAllPanels) + device_sum(drone->means, kAllPanels) * 0.1;
  };
  return {round, sum, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, make<Squares>, make<Strips>);
}
