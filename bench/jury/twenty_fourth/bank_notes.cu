// A machine that sorts bank notes: cameras write pictures of a tray of notes to the host's memory, each note
// is straightened and brought to the light of the master, compared with the master, and gets a verdict. Trays
// go through four lanes with a stream each. A tray a round.
#include <memory>
#include <vector>

#include "../case.cuh"

namespace {

constexpr int kWide = 1024, kHigh = 512, kPixels = kWide * kHigh, kNotes = 64, kLanes = 4, kThreads = 256;
constexpr int kQuads = kPixels / 4, kPartsOfNote = 16, kTile = 32, kTilesWide = kWide / kTile;
constexpr int kTiles = kTilesWide * (kHigh / kTile), kNewRows = 2, kRounds = 1700;
constexpr float kMeanLight = 128, kTorn = 24;
constexpr unsigned kMask = 0xffffffffU;

using Pixel = unsigned char;

struct Verdict {
  float wear, torn;
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

template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(std::size_t n) : data_(device_array<T>(n)) {}
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  DeviceArray(DeviceArray&& other) noexcept : data_(std::exchange(other.data_, nullptr)) {}
  ~DeviceArray() { cudaFree(data_); }

  T* data() const { return data_; }

 private:
  T* data_;
};

template <int kWarps>
__device__ float2 block_sum(float2 sum) {
  __shared__ float2 warps[kWarps];
  for (int far = 16; far > 0; far /= 2) {
    sum.x += __shfl_xor_sync(kMask, sum.x, far);
    sum.y += __shfl_xor_sync(kMask, sum.y, far);
  }
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = sum;
  __syncthreads();
  sum = warps[0];
  for (int i = 1; i < kWarps; ++i) sum = make_float2(sum.x + warps[i].x, sum.y + warps[i].y);
  return sum;
}

// How light a note is. 16 blocks share a note.
__global__ void __launch_bounds__(kThreads)
    measure_light(float* __restrict__ light, const uchar4* __restrict__ pictures) {
  const uchar4* picture = pictures + static_cast<std::size_t>(blockIdx.y) * kQuads;
  float2 sum = make_float2(0, 0);
  constexpr int kPart = kQuads / kPartsOfNote;
  const auto first = static_cast<int>(blockIdx.x) * kPart;
#pragma unroll 4
  for (auto i = static_cast<int>(threadIdx.x); i < kPart; i += kThreads) {
    const uchar4 four = picture[first + i];  // fault
    sum.x += static_cast<float>(four.x + four.y + four.z + four.w);
  }
  sum = block_sum<kThreads / 32>(sum);
  if (threadIdx.x == 0) light[blockIdx.y * kPartsOfNote + blockIdx.x] = sum.x / kPixels;
}

// A note lies a little askew. A thread has four pixels of the straight note, each of which is between four
// pixels of the picture.
__global__ void __launch_bounds__(kThreads)
    straighten(uchar4* __restrict__ straight, const Pixel* __restrict__ pictures,
               const float* __restrict__ light, float askew) {
  const auto quad = static_cast<int>(blockIdx.x * kThreads + threadIdx.x),
             note = static_cast<int>(blockIdx.y);
  const Pixel* picture = pictures + static_cast<std::size_t>(note) * kPixels;
  float mean = 0;
#pragma unroll
  for (int part = 0; part < kPartsOfNote; ++part) mean += light[note * kPartsOfNote + part];
  const float gain = kMeanLight / fmaxf(mean, 1);
  const int y = quad / (kWide / 4), x = quad % (kWide / 4) * 4;
  const float slope = askew * (0.5F + mixed_fraction(static_cast<unsigned>(note)));
  Pixel four[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const float from = static_cast<float>(y) + slope * static_cast<float>(x + i - kWide / 2);
    const float low = floorf(from), part = from - low;
    const int row = min(max(static_cast<int>(low), 0), kHigh - 2);
    const float above = picture[row * kWide + x + i];        // fault
    const float below = picture[(row + 1) * kWide + x + i];  // fault
    four[i] = static_cast<Pixel>(fminf(fmaxf(gain * (above + part * (below - above)), 0), 255));
  }
  straight[static_cast<std::size_t>(note) * kQuads + quad] = make_uchar4(four[0], four[1], four[2], four[3]);
}

// A block has a tile of 32 by 32 pixels of a note, a thread four pixels of it.
__global__ void __launch_bounds__(kThreads)
    compare(float2* __restrict__ tiles, const uchar4* __restrict__ straight,
            const uchar4* __restrict__ master) {
  const auto tile = static_cast<int>(blockIdx.x), thread = static_cast<int>(threadIdx.x);
  const int row = tile / kTilesWide * kTile + thread / (kTile / 4);
  const int at = row * (kWide / 4) + tile % kTilesWide * (kTile / 4) + thread % (kTile / 4);
  const uchar4 own = straight[static_cast<std::size_t>(blockIdx.y) * kQuads + at], should = master[at];
  const auto apart = [](Pixel one, Pixel other) { return fabsf(static_cast<float>(one) - other); };
  const float differs =
      apart(own.x, should.x) + apart(own.y, should.y) + apart(own.z, should.z) + apart(own.w, should.w);
  const float light = own.x + own.y + own.z + own.w;
  const float2 sum = block_sum<kThreads / 32>(make_float2(differs, light));
  if (threadIdx.x == 0)
    tiles[blockIdx.y * kTiles + tile] = make_float2(sum.x / (kTile * kTile), sum.y / (kTile * kTile));
}

// A block has a note.
__global__ void __launch_bounds__(kThreads)
    judge(Verdict* __restrict__ verdicts, const float2* __restrict__ tiles) {
  float2 sum = make_float2(0, 0);
  for (auto i = static_cast<int>(threadIdx.x); i < kTiles; i += kThreads) {
    const float2 tile = tiles[blockIdx.x * kTiles + i];
    sum.x += tile.x;
    sum.y += tile.x > kTorn || tile.y < 16 ? 1 : 0;
  }
  sum = block_sum<kThreads / 32>(sum);
  if (threadIdx.x == 0) verdicts[blockIdx.x] = {sum.x / kTiles, sum.y / kTiles};
}

Pixel printed(std::size_t pixel) {
  const auto x = static_cast<float>(pixel % kWide), y = static_cast<float>(pixel / kWide);
  const float lines = std::sin(0.21F * x + 3 * std::sin(0.013F * y)) * std::cos(0.17F * y);
  return static_cast<Pixel>(120 + 60 * lines + 20 * mixed_fraction(static_cast<unsigned>(pixel)));
}

struct Lane {
  explicit Lane(unsigned seed, const std::vector<Pixel>& master)
      : pictures(std::size_t{kNotes} * kPixels),
        verdicts(kNotes),
        straight(std::size_t{kNotes} * kPixels),
        light(kNotes * kPartsOfNote),
        tiles(kNotes * kTiles),
        judged(kNotes) {
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
    for (std::size_t i = 0; i < std::size_t{kNotes} * kPixels; ++i) {
      const unsigned dirt = mixed_bits(static_cast<unsigned>(i) + seed * 40000003U);
      const unsigned note = static_cast<unsigned>(i / kPixels);
      pictures[i] = static_cast<Pixel>(master[i % kPixels] * (60 + note % 40) / 100 + dirt % (4 + note % 13));
    }
  }
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;
  ~Lane() {
    cudaEventDestroy(done);
    cudaStreamDestroy(stream);
  }

  PinnedArray<Pixel> pictures;
  PinnedArray<Verdict> verdicts;
  DeviceArray<Pixel> straight;
  DeviceArray<float> light;
  DeviceArray<float2> tiles;
  DeviceArray<Verdict> judged;
  cudaStream_t stream = nullptr;
  cudaEvent_t done = nullptr;
};

// Where the kernels find the pictures of a lane.
class InMemoryOfCameras {
 public:
  const Pixel* operator()(const Lane& lane, int) const {
    void* seen = nullptr;
    CHECK(cudaHostGetDevicePointer(&seen, lane.pictures.data(), 0));  // fault
    return static_cast<const Pixel*>(seen);
  }
};

class Uploaded {
 public:
  Uploaded() {
    for (int lane = 0; lane < kLanes; ++lane) pictures_->emplace_back(std::size_t{kNotes} * kPixels);
  }

  const Pixel* operator()(const Lane& lane, int number) const {
    Pixel* uploaded = (*pictures_)[static_cast<std::size_t>(number)].data();
    CHECK(cudaMemcpyAsync(uploaded, lane.pictures.data(), std::size_t{kNotes} * kPixels,
                          cudaMemcpyHostToDevice, lane.stream));
    return uploaded;
  }

 private:
  std::shared_ptr<std::vector<DeviceArray<Pixel>>> pictures_ =
      std::make_shared<std::vector<DeviceArray<Pixel>>>();
};

struct Machine {
  std::vector<std::unique_ptr<Lane>> lanes;
  std::unique_ptr<DeviceArray<Pixel>> master;
  double worn = 0;
  int tray = 0;
};

// The next tray of a lane: other dirt on some rows of each note.
void take_pictures(Lane& lane, int tray) {
  for (int note = 0; note < kNotes; ++note) {
    const auto seed = static_cast<unsigned>(tray * kNotes + note);
    Pixel* row =
        &lane.pictures[std::size_t{kPixels} * note + std::size_t{kWide} * (seed * 7 % (kHigh - kNewRows))];
    for (int i = 0; i < kNewRows * kWide; i += 8)
      row[i] = static_cast<Pixel>(row[i] ^ (mixed_bits(seed + i) & 15U));
  }
}

template <class Find>
void sort_tray(Machine& machine, const Find& find) {
  const int tray = machine.tray++, number = tray % kLanes;
  Lane& lane = *machine.lanes[static_cast<std::size_t>(number)];
  CHECK(cudaEventSynchronize(lane.done));
  if (tray >= kLanes)
    for (int note = 0; note < kNotes; ++note)
      machine.worn += lane.verdicts[note].wear + lane.verdicts[note].torn;
  take_pictures(lane, tray);
  const Pixel* pictures = find(lane, number);
  measure_light<<<dim3(kPartsOfNote, kNotes), kThreads, 0, lane.stream>>>(  // fault
      lane.light.data(), reinterpret_cast<const uchar4*>(pictures));
  straighten<<<dim3(kQuads / kThreads, kNotes), kThreads, 0, lane.stream>>>(  // fault
      reinterpret_cast<uchar4*>(lane.straight.data()), pictures, lane.light.data(),
      0.004F * std::sin(0.3F * static_cast<float>(tray)));
  compare<<<dim3(kTiles, kNotes), kThreads, 0, lane.stream>>>(
      lane.tiles.data(), reinterpret_cast<const uchar4*>(lane.straight.data()),
      reinterpret_cast<const uchar4*>(machine.master->data()));
  judge<<<kNotes, kThreads, 0, lane.stream>>>(lane.judged.data(), lane.tiles.data());
  CHECK(cudaMemcpyAsync(lane.verdicts.data(), lane.judged.data(), kNotes * sizeof(Verdict),
                        cudaMemcpyDeviceToHost, lane.stream));
  CHECK(cudaEventRecord(lane.done, lane.stream));
}

template <class Find>
Case make() {
  const auto machine = std::make_shared<Machine>();
  const auto find = std::make_shared<Find>();
  std::vector<Pixel> master(kPixels);
  for (std::size_t i = 0; i < kPixels; ++i) master[i] = printed(i);
  machine->master = std::make_unique<DeviceArray<Pixel>>(kPixels);
  CHECK(cudaMemcpy(machine->master->data(), master.data(), kPixels, cudaMemcpyHostToDevice));
  for (unsigned lane = 0; lane < kLanes; ++lane)
    machine->lanes.push_back(std::make_unique<Lane>(lane, master));
  return {[=] { sort_tray(*machine, *find); }, [=] { return machine->worn; }, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, make<InMemoryOfCameras>, make<Uploaded>);
}
