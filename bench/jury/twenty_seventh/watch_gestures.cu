// Gestures that wearers of watches make: what the accelerometers say is freed of gravity, each window of it
// is compared with recorded gestures by dynamic time warping, and a diary is kept of what each wearer does.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kWatches = 64, kSamples = 8192, kGestures = 16, kLongest = 22, kShortest = 17, kWindow = 32;
constexpr int kThreads = 256, kPad = 64, kMean = 16, kRounds = 520, kWide = 1024;
constexpr int kRow = kSamples + kPad;  // windows may reach beyond the last sample
constexpr int kWindows = kWatches * kSamples;
constexpr unsigned kMask = 0xffffffffU;
constexpr float kFar = 1e30F, kAlike = 0.9F;

struct Gesture {
  float4 points[kLongest];
  int length;
};

struct Service {
  float4 *raw, *moves;
  Gesture* gestures;
  float* distances;  // all windows of the first gesture, all of the second one
  int* found;
  float* diary;
  int minute = 0;
};

__device__ float4 plus(float4 one, float4 other) {
  return make_float4(one.x + other.x, one.y + other.y, one.z + other.z, 0);
}

// Gravity is what the last samples have in common. Recordings are a ring, of which a minute starts anywhere.
__global__ void __launch_bounds__(kThreads)
    remove_gravity(float4* __restrict__ moves, const float4* __restrict__ raw, int start, float strong) {
  __shared__ float4 tile[kThreads + kMean - 1];
  const auto thread = static_cast<int>(threadIdx.x), watch = static_cast<int>(blockIdx.y);
  const int first = static_cast<int>(blockIdx.x) * kThreads;
  const float4* own = raw + watch * kSamples;
  for (int i = thread; i < kThreads + kMean - 1; i += kThreads) tile[i] = own[(start + first + i) % kSamples];
  __syncthreads();
  if (first + thread >= kRow) return;
  float4 sum = make_float4(0, 0, 0, 0);
#pragma unroll
  for (int k = 0; k < kMean; ++k) sum = plus(sum, tile[thread + k]);
  const float4 now = tile[thread + kMean - 1];
  moves[watch * kRow + first + thread] =
      make_float4(strong * (now.x - sum.x / kMean), strong * (now.y - sum.y / kMean),
                  strong * (now.z - sum.z / kMean), 0);
}

__device__ float apart(float4 one, float4 other) {
  return fabsf(one.x - other.x) + fabsf(one.y - other.y) + fabsf(one.z - other.z);
}

// How far a window is from a gesture: the way through the table of distances that costs least. Only the last
// row of the table is kept.
struct ByLength {
  __device__ static float warped(const float4* window, const float4* points, int length) {
    float row[kLongest];
    for (int j = 0; j < length; ++j) row[j] = kFar;  // fault
    float corner = 0;
    for (int i = 0; i < kWindow; ++i) {
      const float4 move = window[i];
      float left = kFar;
      for (int j = 0; j < length; ++j) {
        const float above = row[j];  // fault
        left = apart(move, points[j]) + fminf(fminf(left, above), corner);
        row[j] = left;  // fault
        corner = above;
      }
      corner = kFar;
    }
    return row[length - 1];  // fault
  }
};

struct ByLongest {
  __device__ static float warped(const float4* window, const float4* points, int length) {
    float row[kLongest];
#pragma unroll
    for (int j = 0; j < kLongest; ++j) row[j] = kFar;
    float corner = 0;
#pragma unroll 1
    for (int i = 0; i < kWindow; ++i) {
      const float4 move = window[i];
      float left = kFar;
#pragma unroll
      for (int j = 0; j < kLongest; ++j) {
        const float above = row[j];
        left = apart(move, points[j]) + fminf(fminf(left, above), corner);
        row[j] = left;
        corner = above;
      }
      corner = kFar;
    }
    float last = 0;
#pragma unroll
    for (int j = kShortest - 1; j < kLongest; ++j)
      if (j == length - 1) last = row[j];
    return last;
  }
};

// A block compares 256 windows of a watch with a gesture.
template <class Warp>
__global__ void __launch_bounds__(kThreads, 2)
    compare_windows(float* __restrict__ distances, const float4* __restrict__ moves,
                    const Gesture* __restrict__ gestures) {
  __shared__ float4 points[kLongest];
  const auto thread = static_cast<int>(threadIdx.x), watch = static_cast<int>(blockIdx.y);
  const auto gesture = static_cast<int>(blockIdx.z);
  const int length = gestures[gesture].length;
  if (thread < kLongest) points[thread] = gestures[gesture].points[thread];
  __syncthreads();
  const int own = static_cast<int>(blockIdx.x) * kThreads + thread;
  const float distance = Warp::warped(moves + watch * kRow + own, points, length);  // fault
  distances[(gesture * kWatches + watch) * kSamples + own] = distance / static_cast<float>(length + kWindow);
}

// The gesture that a window is nearest to, or none.
__global__ void __launch_bounds__(kThreads)
    find_nearest(int* __restrict__ found, const float* __restrict__ distances) {
  const auto i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  float least = kAlike;
  int nearest = kGestures;
#pragma unroll
  for (int gesture = 0; gesture < kGestures; ++gesture) {
    const float distance = distances[gesture * kWindows + i];
    if (distance < least) {
      least = distance;
      nearest = gesture;
    }
  }
  found[i] = nearest;
}

// A block has a watch; lane number g of a warp counts gesture g.
__global__ void __launch_bounds__(kWide)
    keep_diary(float* __restrict__ diary, const int* __restrict__ found) {
  __shared__ int counts[kWide / 32][kGestures];
  const auto thread = static_cast<int>(threadIdx.x), watch = static_cast<int>(blockIdx.x);
  const int lane = thread % 32;
  int count = 0;
#pragma unroll
  for (int part = 0; part < kSamples / kWide; ++part) {
    const int own = found[watch * kSamples + part * kWide + thread];
#pragma unroll
    for (int gesture = 0; gesture < kGestures; ++gesture) {
      const int of = __popc(__ballot_sync(kMask, own == gesture));
      if (lane == gesture) count += of;
    }
  }
  if (lane < kGestures) counts[thread / 32][lane] = count;
  __syncthreads();
  if (thread >= kGestures) return;
  for (int warp = 1; warp < kWide / 32; ++warp) count += counts[warp][thread];
  float& entry = diary[watch * kGestures + thread];
  entry = 0.95F * entry + 0.05F * static_cast<float>(count) / kSamples;
}

__device__ float4 swing(float time, unsigned kind) {
  const float fast = 0.15F + 0.4F * mixed_fraction(kind), phase = 6 * mixed_fraction(kind + 100);
  return make_float4(2 * __sinf(fast * time + phase), 1.5F * __cosf(0.7F * fast * time),
                     __sinf(1.6F * fast * time + 2 * phase), 0);
}

__global__ void record_gestures(Gesture* gestures) {
  const auto gesture = static_cast<unsigned>(blockIdx.x), point = static_cast<unsigned>(threadIdx.x);
  gestures[gesture].points[point] = swing(static_cast<float>(point), gesture);
  if (point == 0)
    gestures[gesture].length =
        kShortest + static_cast<int>(gesture) * (kLongest - kShortest) / (kGestures - 1);
}

// Wearers rest, or repeat a gesture for 256 samples, and shake.
__global__ void __launch_bounds__(kThreads) wear(float4* raw) {
  const auto i = static_cast<unsigned>(blockIdx.x * kThreads + threadIdx.x);
  const unsigned stretch = i / 256, kind = mixed_bits(stretch) % (kGestures + 4);
  const auto shake = [=](unsigned axis) { return 0.8F * mixed_fraction(3 * i + axis) - 0.4F; };
  const float slow = 0.9F + 0.2F * mixed_fraction(stretch + 7777);
  float4 move = make_float4(0, 0, 0, 0);
  if (kind < kGestures) move = swing(slow * static_cast<float>(i % 256), kind);
  raw[i] = make_float4(move.x + shake(0), move.y + shake(1) + 9.8F, move.z + shake(2), 0);
}

template <class Warp>
void watch_minute(Service& service) {
  const int minute = service.minute++;
  const float strong = 1 + 0.1F * std::sin(0.05F * static_cast<float>(minute));
  remove_gravity<<<dim3(blocks_for(kRow, kThreads), kWatches), kThreads>>>(service.moves, service.raw,
                                                                           minute * 777 % kSamples, strong);
  compare_windows<Warp><<<dim3(kSamples / kThreads, kWatches, kGestures), kThreads>>>(  // fault
      service.distances, service.moves, service.gestures);                              // fault
  find_nearest<<<kWindows / kThreads, kThreads>>>(service.found, service.distances);
  keep_diary<<<kWatches, kWide>>>(service.diary, service.found);
}

template <class Warp>
Case make() {
  const auto service = std::make_shared<Service>();
  service->raw = device_array<float4>(kWindows);
  wear<<<kWindows / kThreads, kThreads>>>(service->raw);
  service->gestures = device_array<Gesture>(kGestures);
  record_gestures<<<kGestures, kLongest>>>(service->gestures);
  service->moves = device_array<float4>(std::size_t{kWatches} * kRow);
  service->distances = device_array<float>(std::size_t{kGestures} * kWindows);
  service->found = device_array<int>(kWindows);
  service->diary = device_array<float>(kWatches * kGestures);
  CHECK(cudaMemset(service->diary, 0, kWatches * kGestures * sizeof(float)));
  const auto round = [=] { watch_minute<Warp>(*service); };
  const auto sum = [=] {
    return device_sum(service->diary, kWatches * kGestures) + device_sum(service->distances, kWindows) * 1e-4;
  };
  return {round, sum, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, make<ByLength>, make<ByLongest>);
}
