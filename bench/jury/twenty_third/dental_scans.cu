// Scans teeth by stripes of light: the scanner takes three pictures of a jaw, each with the stripes moved by
// a third; they tell the phase of each pixel, a phase map of a flat plate tells the depth, depths are
// smoothed, and patches that are steep are counted for the dentist. A scan a round, two scans under way.
#include <memory>
#include <vector>

#include "../case.cuh"

namespace {

constexpr int kWide = 1536, kHigh = 1024, kPixels = kWide * kHigh, kShifts = 3, kTile = 32, kThreads = 256;
constexpr int kTilesWide = kWide / kTile, kTiles = kTilesWide * (kHigh / kTile), kSlots = 3, kRounds = 10000;
constexpr int kReach = 1, kWindow = kTile + 2 * kReach, kNewRows = 8;
constexpr float kPi = 3.14159265F, kDark = 300, kDepthOfPhase = 0.6F, kSteep = 0.35F;
constexpr unsigned kMask = 0xffffffffU;

template <class T>
class Buffer {
 public:
  explicit Buffer(std::size_t n) : device_(device_array<T>(n)), host_(pinned_array<T>(n)), size_(n) {
    std::fill_n(host_, n, T{});
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() {
    cudaFree(device_);
    cudaFreeHost(host_);
  }

  void upload(cudaStream_t stream) const {
    CHECK(cudaMemcpyAsync(device_, host_, size_ * sizeof(T), cudaMemcpyHostToDevice, stream));
  }
  void download(cudaStream_t stream) const {
    CHECK(cudaMemcpyAsync(host_, device_, size_ * sizeof(T), cudaMemcpyDeviceToHost, stream));
  }

  T* device() const { return device_; }
  T* host() const { return host_; }

 private:
  T *device_, *host_;
  std::size_t size_;
};

__device__ float phase_of(float one, float two, float three) {
  return atan2f(1.7320508F * (one - three), 2 * two - one - three);
}

// The phase beyond that of the plate, as a depth. A thread has four pixels; dark ones have none.
__global__ void __launch_bounds__(kThreads)
    find_depths(float4* __restrict__ depths, const ushort4* __restrict__ pictures,
                const float4* __restrict__ plate) {
  const auto i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const ushort4 a = pictures[i], b = pictures[i + kPixels / 4], c = pictures[i + kPixels / 2];
  const float4 flat = plate[i];
  const auto depth = [](unsigned short one, unsigned short two, unsigned short three, float known) {
    const auto x = static_cast<float>(one), y = static_cast<float>(two), z = static_cast<float>(three);
    if (x + y + z < 3 * kDark) return 0.0F;
    float beyond = phase_of(x, y, z) - known;
    beyond -= 2 * kPi * rintf(beyond / (2 * kPi));
    return kDepthOfPhase * beyond;
  };
  depths[i] = make_float4(depth(a.x, b.x, c.x, flat.x), depth(a.y, b.y, c.y, flat.y),
                          depth(a.z, b.z, c.z, flat.z), depth(a.w, b.w, c.w, flat.w));
}

__device__ void sort_two(float& low, float& high) {
  const float least = fminf(low, high);
  high = fmaxf(low, high);
  low = least;
}

// The median of nine by sorting columns and rows.
__device__ float median(float (&v)[9]) {
#pragma unroll
  for (int column = 0; column < 3; ++column) {
    sort_two(v[3 * column], v[3 * column + 1]);
    sort_two(v[3 * column + 1], v[3 * column + 2]);
    sort_two(v[3 * column], v[3 * column + 1]);
  }
  const float low = fmaxf(v[0], fmaxf(v[3], v[6])), high = fminf(v[2], fminf(v[5], v[8]));
  float x = v[1], y = v[4], z = v[7];
  sort_two(x, y);
  y = fmaxf(x, fminf(y, z));
  return fmaxf(fminf(low, high), fminf(fmaxf(low, high), y));
}

// A block has a tile.
__global__ void __launch_bounds__(kThreads)
    smooth(float* __restrict__ smoothed, const float* __restrict__ depths) {
  __shared__ float window[kWindow][kWindow];
  const auto lane = static_cast<int>(threadIdx.x % kTile), first = static_cast<int>(threadIdx.x / kTile);
  const int left = static_cast<int>(blockIdx.x) * kTile, top = static_cast<int>(blockIdx.y) * kTile;
  for (int row = first; row < kWindow; row += kThreads / kTile) {
    const int y = min(max(top + row - kReach, 0), kHigh - 1);
    for (int column = lane; column < kWindow; column += kTile)
      window[row][column] = depths[y * kWide + min(max(left + column - kReach, 0), kWide - 1)];
  }
  __syncthreads();
  for (int row = first; row < kTile; row += kThreads / kTile) {
    float around[9];
#pragma unroll
    for (int i = 0; i < 9; ++i) around[i] = window[row + i / 3][lane + i % 3];
    smoothed[(top + row) * kWide + left + lane] = median(around);
  }
}

// A block has a tile: how many pixels are steep, and the mean depth.
__global__ void __launch_bounds__(kThreads)
    grade_tiles(float2* __restrict__ grades, const float* __restrict__ smoothed) {
  __shared__ float2 warps[kThreads / 32];
  const auto lane = static_cast<int>(threadIdx.x % kTile), first = static_cast<int>(threadIdx.x / kTile);
  const int x = static_cast<int>(blockIdx.x) * kTile + lane;
  float2 sum = make_float2(0, 0);
  for (int row = first; row < kTile; row += kThreads / kTile) {
    const int y = static_cast<int>(blockIdx.y) * kTile + row;
    const float own = smoothed[y * kWide + x];
    const float across = smoothed[y * kWide + min(x + 1, kWide - 1)] - own;
    const float down = smoothed[min(y + 1, kHigh - 1) * kWide + x] - own;
    sum.x += across * across + down * down > kSteep * kSteep ? 1 : 0;
    sum.y += own / (kTile * kTile);
  }
  for (int far = 16; far > 0; far /= 2) {
    sum.x += __shfl_xor_sync(kMask, sum.x, far);
    sum.y += __shfl_xor_sync(kMask, sum.y, far);
  }
  if (lane == 0) warps[first] = sum;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int i = 1; i < kThreads / 32; ++i) sum = make_float2(sum.x + warps[i].x, sum.y + warps[i].y);
  grades[blockIdx.y * kTilesWide + blockIdx.x] = sum;
}

cudaEvent_t new_event() {
  cudaEvent_t event = nullptr;
  CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  return event;
}

struct Streams {
  cudaStream_t uploads, work, downloads;
};

// The phase of a flat plate, measured once when the scanner is set up.
using Plate = Buffer<float>;

struct Slot {
  Buffer<unsigned short> pictures{std::size_t{kShifts} * kPixels};
  Buffer<float2> grades{kTiles};
  Plate plate{kPixels};
  float* depths = device_array<float>(kPixels);
  float* smoothed = device_array<float>(kPixels);
  cudaEvent_t uploaded = new_event(), graded = new_event(), downloaded = new_event();
};

struct Scanner {
  std::vector<std::unique_ptr<Slot>> slots;
  Streams streams;
  double seen = 0;
  int number = 0;
};

// Stands for the camera: some rows of the three pictures are new.
void expose(const Slot& slot, int number) {
  const int row = number * kNewRows % kHigh;
  const auto change = static_cast<unsigned short>(1 + number * 29 % 255);
  for (int shift = 0; shift < kShifts; ++shift) {
    unsigned short* picture = slot.pictures.host() + shift * kPixels + row * kWide;
    for (int i = 0; i < kNewRows * kWide; ++i) picture[i] = static_cast<unsigned short>(picture[i] ^ change);
  }
}

double finish(const Slot& slot) {
  CHECK(cudaEventSynchronize(slot.downloaded));
  double sum = 0;
  for (int tile = 0; tile < kTiles; ++tile)
    sum += slot.grades.host()[tile].x + 10 * std::fabs(slot.grades.host()[tile].y);
  return 1e-3 * sum;
}

struct PlateWithScan {
  void operator()(const Slot& slot, cudaStream_t stream) const {
    slot.plate.upload(stream);  // fault
    slot.pictures.upload(stream);
  }
};

struct ScanOnly {
  void operator()(const Slot& slot, cudaStream_t stream) const { slot.pictures.upload(stream); }
};

template <class Upload>
void scan(Scanner& scanner, Upload upload) {
  const int number = scanner.number++;
  Slot& slot = *scanner.slots[static_cast<std::size_t>(number % kSlots)];
  const Streams& streams = scanner.streams;
  scanner.seen += finish(slot);
  expose(slot, number);
  upload(slot, streams.uploads);
  CHECK(cudaEventRecord(slot.uploaded, streams.uploads));
  CHECK(cudaStreamWaitEvent(streams.work, slot.uploaded, 0));
  const dim3 tiles(kTilesWide, kHigh / kTile);
  find_depths<<<kPixels / 4 / kThreads, kThreads, 0, streams.work>>>(
      reinterpret_cast<float4*>(slot.depths), reinterpret_cast<const ushort4*>(slot.pictures.device()),
      reinterpret_cast<const float4*>(slot.plate.device()));
  smooth<<<tiles, kThreads, 0, streams.work>>>(slot.smoothed, slot.depths);
  grade_tiles<<<tiles, kThreads, 0, streams.work>>>(slot.grades.device(), slot.smoothed);
  CHECK(cudaEventRecord(slot.graded, streams.work));
  CHECK(cudaStreamWaitEvent(streams.downloads, slot.graded, 0));
  slot.grades.download(streams.downloads);
  CHECK(cudaEventRecord(slot.downloaded, streams.downloads));
}

// Stripes go up, and bend where a tooth is.
void fill(const Slot& slot, int jaw) {
  for (int i = 0; i < kPixels; ++i) {
    const auto x = static_cast<float>(i % kWide), y = static_cast<float>(i / kWide);
    const float flat = 0.05F * x + 0.3F * std::sin(0.002F * y);
    slot.plate.host()[i] = flat - 2 * kPi * std::rint(flat / (2 * kPi));
    const float tooth = std::sin(0.02F * x + static_cast<float>(jaw)) * std::cos(0.025F * y);
    const float phase = flat + 1.5F * std::max(tooth, 0.0F);
    for (int shift = 0; shift < kShifts; ++shift) {
      const float light = 1500 + 900 * std::cos(phase + 2 * kPi / 3 * static_cast<float>(shift - 1));
      const float noise = 60 * mixed_fraction(static_cast<unsigned>(i * kShifts + shift + jaw));
      slot.pictures.host()[shift * kPixels + i] = static_cast<unsigned short>(light + noise);
    }
  }
}

template <class Upload>
Case make(Upload upload) {
  const auto scanner = std::make_shared<Scanner>();
  for (cudaStream_t* stream :
       {&scanner->streams.uploads, &scanner->streams.work, &scanner->streams.downloads})
    CHECK(cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking));
  for (int jaw = 0; jaw < kSlots; ++jaw) {
    scanner->slots.push_back(std::make_unique<Slot>());
    fill(*scanner->slots.back(), jaw);
    scanner->slots.back()->plate.upload(scanner->streams.uploads);
  }
  CHECK(cudaStreamSynchronize(scanner->streams.uploads));
  return {[=] { scan(*scanner, upload); }, [=] { return scanner->seen; }, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(PlateWithScan{}); }, [] { return make(ScanOnly{}); });
}
