// Looks into luggage at an airport: each bag is X-rayed by a weak and a strong beam, both pictures tell of
// what material each pixel is, the picture is smoothed within a material, and dense organic things are
// counted in tiles for the person who looks at the bag. A bag a round.
#include <memory>
#include <vector>

#include "../case.cuh"

namespace {

constexpr int kSide = 1024, kPixels = kSide * kSide, kTile = 32, kReach = 2, kWindow = kTile + 2 * kReach;
constexpr int kTilesWide = kSide / kTile, kTiles = kTilesWide * kTilesWide, kThreads = 256, kTable = 512;
constexpr int kBags = 4, kNewRows = 32, kRounds = 22000;
constexpr float kBeam = 60000, kThick = 1.2F;
constexpr unsigned kMask = 0xffffffffU;

enum Material : unsigned char { kAir, kOrganic, kMixed, kMetal };

template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(std::size_t n) : data_(device_array<T>(n)), size_(n) {}
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  DeviceArray(DeviceArray&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(other.size_) {}
  ~DeviceArray() { cudaFree(data_); }

  T* data() const { return data_; }
  std::size_t bytes() const { return size_ * sizeof(T); }

 private:
  T* data_;
  std::size_t size_;
};

template <class T>
class PinnedArray {
 public:
  explicit PinnedArray(std::size_t n) : data_(pinned_array<T>(n)) { std::fill_n(data_, n, T{}); }
  PinnedArray(const PinnedArray&) = delete;
  PinnedArray& operator=(const PinnedArray&) = delete;
  PinnedArray(PinnedArray&& other) noexcept : data_(std::exchange(other.data_, nullptr)) {}
  ~PinnedArray() { cudaFreeHost(data_); }

  T* data() const { return data_; }
  T& operator[](std::size_t i) const { return data_[i]; }

 private:
  T* data_;
};

// How much of the beams stays in the bag, and how the two differ. A thread has four pixels.
__global__ void __launch_bounds__(kThreads)
    find_materials(float4* __restrict__ thickness, uchar4* __restrict__ materials,
                   const ushort4* __restrict__ weak, const ushort4* __restrict__ strong,
                   const unsigned char* __restrict__ table) {
  __shared__ unsigned char known[kTable];
  for (int i = static_cast<int>(threadIdx.x); i < kTable; i += kThreads) known[i] = table[i];
  __syncthreads();
  const auto i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const ushort4 one = weak[i], other = strong[i];
  const auto stays = [](unsigned short counts) {
    return fmaxf(-__logf((static_cast<float>(counts) + 1) / kBeam), 0);
  };
  const auto material = [&](float low, float high) {
    const float ratio = low < 0.05F ? 0 : __fdividef(low, high + 1e-3F);
    return known[static_cast<int>(fminf(ratio * 128, kTable - 1))];
  };
  const float4 low = make_float4(stays(one.x), stays(one.y), stays(one.z), stays(one.w));
  const float4 high = make_float4(stays(other.x), stays(other.y), stays(other.z), stays(other.w));
  thickness[i] = high;
  materials[i] = make_uchar4(material(low.x, high.x), material(low.y, high.y), material(low.z, high.z),
                             material(low.w, high.w));
}

// The mean of the pixels around that are of the same material. A block has a tile.
__global__ void __launch_bounds__(kThreads)
    smooth(float* __restrict__ smoothed, const float* __restrict__ thickness,
           const unsigned char* __restrict__ materials) {
  __shared__ float2 window[kWindow][kWindow];
  const auto lane = static_cast<int>(threadIdx.x % kTile), first = static_cast<int>(threadIdx.x / kTile);
  const int left = static_cast<int>(blockIdx.x) * kTile, top = static_cast<int>(blockIdx.y) * kTile;
  for (int row = first; row < kWindow; row += kThreads / kTile) {
    const int y = min(max(top + row - kReach, 0), kSide - 1);
    for (int column = lane; column < kWindow; column += kTile) {
      const int at = y * kSide + min(max(left + column - kReach, 0), kSide - 1);
      window[row][column] = make_float2(thickness[at], materials[at]);
    }
  }
  __syncthreads();
  for (int row = first; row < kTile; row += kThreads / kTile) {
    const float own = window[row + kReach][lane + kReach].y;
    float sum = 0, count = 0;
#pragma unroll
    for (int y = 0; y <= 2 * kReach; ++y) {
#pragma unroll
      for (int x = 0; x <= 2 * kReach; ++x) {
        const float2 there = window[row + y][lane + x];
        const float same = there.y == own ? 1 : 0;
        sum += same * there.x;
        count += same;
      }
    }
    smoothed[(top + row) * kSide + left + lane] = sum / count;
  }
}

// A block has a tile.
__global__ void __launch_bounds__(kThreads)
    count_suspects(int2* __restrict__ suspects, const float4* __restrict__ smoothed,
                   const uchar4* __restrict__ materials) {
  __shared__ int2 warps[kThreads / 32];
  constexpr int kQuads = kTile / 4;
  const int row = static_cast<int>(blockIdx.y) * kTile + static_cast<int>(threadIdx.x) / kQuads;
  const int at =
      row * (kSide / 4) + static_cast<int>(blockIdx.x) * kQuads + static_cast<int>(threadIdx.x) % kQuads;
  const float4 thick = smoothed[at];
  const uchar4 of = materials[at];
  const auto dense = [](float depth, unsigned char material) {
    return material == kOrganic && depth > kThick ? 1 : 0;
  };
  const auto metal = [](unsigned char material) { return material == kMetal ? 1 : 0; };
  int2 sum =
      make_int2(dense(thick.x, of.x) + dense(thick.y, of.y) + dense(thick.z, of.z) + dense(thick.w, of.w),
                metal(of.x) + metal(of.y) + metal(of.z) + metal(of.w));
  sum = make_int2(__reduce_add_sync(kMask, sum.x), __reduce_add_sync(kMask, sum.y));
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int i = 1; i < kThreads / 32; ++i) sum = make_int2(sum.x + warps[i].x, sum.y + warps[i].y);
  suspects[blockIdx.y * kTilesWide + blockIdx.x] = sum;
}

cudaEvent_t new_event() {
  cudaEvent_t event = nullptr;
  CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  return event;
}

struct Streams {
  cudaStream_t uploads, work, downloads;
};

// A bag on its way through the scanner.
class Bag {
 public:
  explicit Bag(unsigned seed) {
    for (std::size_t i = 0; i < kPixels; ++i) {
      const auto x = static_cast<float>(i % kSide), y = static_cast<float>(i / kSide);
      const float thick = 1.1F + std::sin(0.02F * x + static_cast<float>(seed)) * std::cos(0.03F * y);
      const float ratio = 1.2F + 1.3F * mixed_fraction(static_cast<unsigned>(x / 64) * 31 +
                                                       static_cast<unsigned>(y / 64) + seed);
      const float noise = 1 + 0.1F * (mixed_fraction(static_cast<unsigned>(i) + seed) - 0.5F);
      host_strong_[i] = static_cast<unsigned short>(50000 * std::exp(-thick) * noise);
      host_weak_[i] = static_cast<unsigned short>(50000 * std::exp(-ratio * thick) * noise);
    }
  }

  // Stands for the scanner: some rows of both pictures change.
  void scan(int number) const {
    const int first = number / kBags % (kSide / kNewRows) * kNewRows * kSide;
    const auto change = static_cast<unsigned short>(1 + number * 37 % 127);
    for (unsigned short* picture : {host_weak_.data(), host_strong_.data()})
      for (int i = first; i < first + kNewRows * kSide; ++i)
        picture[i] = static_cast<unsigned short>(picture[i] ^ change);
  }

  void wait_for_upload() const { CHECK(cudaEventSynchronize(uploaded_)); }

  void start(const Streams& streams, const unsigned char* table) const {
    CHECK(cudaStreamWaitEvent(streams.uploads, looked_at_, 0));
    CHECK(cudaMemcpyAsync(weak_.data(), host_weak_.data(), weak_.bytes(), cudaMemcpyHostToDevice,
                          streams.uploads));
    CHECK(cudaMemcpyAsync(strong_.data(), host_strong_.data(), strong_.bytes(), cudaMemcpyHostToDevice,
                          streams.uploads));
    CHECK(cudaEventRecord(uploaded_, streams.uploads));
    CHECK(cudaStreamWaitEvent(streams.work, uploaded_, 0));
    look(streams.work, table);
    CHECK(cudaStreamWaitEvent(streams.downloads, looked_at_, 0));
    CHECK(cudaMemcpyAsync(host_suspects_.data(), suspects_.data(), suspects_.bytes(), cudaMemcpyDeviceToHost,
                          streams.downloads));
    CHECK(cudaEventRecord(downloaded_, streams.downloads));
  }

  // What was found in the bag that was here before.
  long finish() const {
    CHECK(cudaEventSynchronize(downloaded_));
    long sum = 0;
    for (std::size_t tile = 0; tile < kTiles; ++tile)
      sum += host_suspects_[tile].x + 2 * host_suspects_[tile].y;
    return sum;
  }

 private:
  void look(cudaStream_t stream, const unsigned char* table) const {
    find_materials<<<kPixels / 4 / kThreads, kThreads, 0, stream>>>(
        reinterpret_cast<float4*>(thickness_.data()), materials_.data(), weak_.data(), strong_.data(), table);
    smooth<<<dim3(kTilesWide, kTilesWide), kThreads, 0, stream>>>(
        smoothed_.data(), thickness_.data(), reinterpret_cast<const unsigned char*>(materials_.data()));
    count_suspects<<<dim3(kTilesWide, kTilesWide), kThreads, 0, stream>>>(
        suspects_.data(), reinterpret_cast<const float4*>(smoothed_.data()), materials_.data());
    CHECK(cudaEventRecord(looked_at_, stream));
  }

  PinnedArray<unsigned short> host_weak_{kPixels}, host_strong_{kPixels};
  PinnedArray<int2> host_suspects_{kTiles};
  DeviceArray<ushort4> weak_{kPixels / 4}, strong_{kPixels / 4};
  DeviceArray<float> thickness_{kPixels}, smoothed_{kPixels};
  DeviceArray<uchar4> materials_{kPixels / 4};
  DeviceArray<int2> suspects_{kTiles};
  cudaEvent_t uploaded_ = new_event(), looked_at_ = new_event(), downloaded_ = new_event();
};

struct Scanner {
  std::vector<Bag> bags;
  Streams streams;
  DeviceArray<unsigned char> table{kTable};
  long suspects = 0;
  int number = 0;
};

void look_into_next(Scanner& scanner) {
  const int number = scanner.number++;
  const Bag& bag = scanner.bags[static_cast<std::size_t>(number % kBags)];
  scanner.suspects += bag.finish();
  bag.wait_for_upload();
  bag.scan(number);
  bag.start(scanner.streams, scanner.table.data());
}

void fill_table(const DeviceArray<unsigned char>& table) {
  auto* known = pinned_array<unsigned char>(kTable);
  for (int i = 0; i < kTable; ++i) known[i] = i < 64 ? kAir : i < 200 ? kOrganic : i < 260 ? kMixed : kMetal;
  CHECK(cudaMemcpy(table.data(), known, kTable, cudaMemcpyHostToDevice));
  CHECK(cudaFreeHost(known));
}

Case make() {
  const auto scanner = std::make_shared<Scanner>();
  for (unsigned i = 0; i < kBags; ++i) scanner->bags.emplace_back(i * 0x2c1b3c6dU % 1000);
  for (cudaStream_t* stream :
       {&scanner->streams.uploads, &scanner->streams.work, &scanner->streams.downloads})
    CHECK(cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking));
  fill_table(scanner->table);
  return {[=] { look_into_next(*scanner); }, [=] { return static_cast<double>(scanner->suspects); }, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, nullptr, [] { return make(); });
}
