// Counts the nuclei of cells on slides of tissue. A scanner gives fields of 2048 x 1024 pixels in three
// colours. The program finds the dye of nuclei in each pixel, and counts in each square of 32 x 32 pixels
// where it is darker than around. Three fields are in flight at a time. A field a round.
#include <memory>
#include <utility>
#include <vector>

#include "../case.cuh"

namespace {

constexpr int kWide = 2048, kHigh = 1024, kPixels = kWide * kHigh, kColours = 3, kTile = 32, kBlur = 2;
constexpr int kWindow = kTile + 2 * kBlur, kThreads = 256, kTiles = kPixels / (kTile * kTile), kFields = 3;
constexpr int kNewRows = 16, kRounds = 16000;
constexpr float kDark = 0.45F;

// Memory that is given back with its owner.
template <class T, T* (*kAllocate)(std::size_t), cudaError_t (*kFree)(void*)>
class Array {
 public:
  explicit Array(std::size_t size) : data_(kAllocate(size)), size_(size) {}
  Array(Array&& other) noexcept : data_(std::exchange(other.data_, nullptr)), size_(other.size_) {}
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  Array& operator=(Array&&) = delete;
  ~Array() {
    if (data_ != nullptr) CHECK(kFree(data_));
  }

  T* get() const { return data_; }
  std::size_t bytes() const { return size_ * sizeof(T); }

 private:
  T* data_;
  std::size_t size_;
};

template <class T>
using DeviceArray = Array<T, device_array<T>, cudaFree>;
template <class T>
using PinnedArray = Array<T, pinned_array<T>, cudaFreeHost>;

// How much of the light of a colour the tissue keeps back.
__device__ float density(unsigned char light) {
  return -__logf((static_cast<float>(light) + 1) / 256);
}

__device__ float nuclear_dye(unsigned char red, unsigned char green, unsigned char blue) {
  return fmaxf(1.3F * density(red) - 0.5F * density(green) + 0.2F * density(blue), 0);
}

// A thread has four pixels. Colours lie one behind the other.
__global__ void __launch_bounds__(kThreads)
    separate_dyes(float4* __restrict__ dye, const uchar4* __restrict__ colours) {
  const auto i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const uchar4 red = colours[i], green = colours[kPixels / 4 + i], blue = colours[kPixels / 2 + i];
  dye[i] = make_float4(nuclear_dye(red.x, green.x, blue.x), nuclear_dye(red.y, green.y, blue.y),
                       nuclear_dye(red.z, green.z, blue.z), nuclear_dye(red.w, green.w, blue.w));
}

__device__ float blurred(const float* first, int stride) {
  return (first[0] + first[4 * stride] + 4 * (first[stride] + first[3 * stride]) + 6 * first[2 * stride]) /
         16;
}

// A block has a tile. Beyond the edge of the field pixels are those of the edge.
__global__ void __launch_bounds__(kThreads) blur(float* __restrict__ smooth, const float* __restrict__ dye) {
  __shared__ float window[kWindow][kWindow], rows[kWindow][kTile];
  const auto lane = static_cast<int>(threadIdx.x % kTile), first = static_cast<int>(threadIdx.x / kTile);
  const int left = static_cast<int>(blockIdx.x) * kTile, top = static_cast<int>(blockIdx.y) * kTile;
  for (int row = first; row < kWindow; row += kThreads / kTile) {
    const float* line = dye + min(max(top + row - kBlur, 0), kHigh - 1) * kWide;
    for (int column = lane; column < kWindow; column += kTile)
      window[row][column] = line[min(max(left + column - kBlur, 0), kWide - 1)];
  }
  __syncthreads();
  for (int row = first; row < kWindow; row += kThreads / kTile)
    rows[row][lane] = blurred(&window[row][lane], 1);
  __syncthreads();
  for (int row = first; row < kTile; row += kThreads / kTile)
    smooth[(top + row) * kWide + left + lane] = blurred(&rows[row][lane], kTile);
}

// A block has a tile.
__global__ void __launch_bounds__(kThreads)
    count_nuclei(int* __restrict__ counts, const float* __restrict__ smooth) {
  const auto lane = static_cast<int>(threadIdx.x % kTile), first = static_cast<int>(threadIdx.x / kTile);
  const int column = static_cast<int>(blockIdx.x) * kTile + lane;
  int found = 0;
  for (int i = first; i < kTile; i += kThreads / kTile) {
    const int row = static_cast<int>(blockIdx.y) * kTile + i;
    const float own = smooth[row * kWide + column];
    bool darkest = own > kDark;
#pragma unroll
    for (int y = -1; y <= 1; ++y) {
      const float* line = smooth + min(max(row + y, 0), kHigh - 1) * kWide;
#pragma unroll
      for (int x = -1; x <= 1; ++x) darkest = darkest && line[min(max(column + x, 0), kWide - 1)] <= own;
    }
    found += __syncthreads_count(darkest ? 1 : 0);
  }
  if (threadIdx.x == 0) counts[blockIdx.y * gridDim.x + blockIdx.x] = found;
}

// A field on its way.
class Field {
 public:
  explicit Field(unsigned seed)
      : host_colours_(std::size_t{kColours} * kPixels),
        host_counts_(kTiles),
        colours_(std::size_t{kColours} * kPixels / 4),
        dye_(kPixels),
        smooth_(kPixels),
        counts_(kTiles) {
    CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    for (unsigned i = 0; i < kColours * kPixels; ++i)
      host_colours_.get()[i] = static_cast<unsigned char>(64 + mixed_bits(i / 5 + seed) % 192);
    std::fill_n(host_counts_.get(), kTiles, 0);
  }

  // Waits for the field that was on its way before.
  long finish() const {
    CHECK(cudaStreamSynchronize(stream_));
    long nuclei = 0;
    for (int tile = 0; tile < kTiles; ++tile) nuclei += host_counts_.get()[tile];
    return nuclei;
  }

  // Stands for the scanner: some rows of each colour change.
  void scan(int number) const {
    const auto change = static_cast<unsigned char>(number * 29 % 61);
    for (int colour = 0; colour < kColours; ++colour) {
      unsigned char* rows =
          host_colours_.get() + colour * kPixels + number / kFields % (kHigh / kNewRows) * kNewRows * kWide;
      for (int i = 0; i < kNewRows * kWide; ++i) rows[i] = static_cast<unsigned char>(rows[i] ^ change);
    }
  }

  void start() const {
    CHECK(cudaMemcpyAsync(colours_.get(), host_colours_.get(), colours_.bytes(), cudaMemcpyHostToDevice,
                          stream_));
    separate_dyes<<<kPixels / 4 / kThreads, kThreads, 0, stream_>>>(reinterpret_cast<float4*>(dye_.get()),
                                                                    colours_.get());
    const dim3 tiles(kWide / kTile, kHigh / kTile);
    blur<<<tiles, kThreads, 0, stream_>>>(smooth_.get(), dye_.get());
    count_nuclei<<<tiles, kThreads, 0, stream_>>>(counts_.get(), smooth_.get());
    CHECK(
        cudaMemcpyAsync(host_counts_.get(), counts_.get(), counts_.bytes(), cudaMemcpyDeviceToHost, stream_));
  }

 private:
  PinnedArray<unsigned char> host_colours_;
  PinnedArray<int> host_counts_;
  DeviceArray<uchar4> colours_;
  DeviceArray<float> dye_, smooth_;
  DeviceArray<int> counts_;
  cudaStream_t stream_ = nullptr;
};

struct Laboratory {
  std::vector<Field> fields;
  long nuclei = 0;
  int number = 0;
};

void look(Laboratory& laboratory) {
  const int number = laboratory.number++;
  const Field& field = laboratory.fields[static_cast<std::size_t>(number % kFields)];
  laboratory.nuclei += field.finish();
  field.scan(number);
  field.start();
}

Case make() {
  const auto laboratory = std::make_shared<Laboratory>();
  for (unsigned i = 0; i < kFields; ++i) laboratory->fields.emplace_back(i * 0x2c1b3c6dU);
  return {[=] { look(*laboratory); }, [=] { return static_cast<double>(laboratory->nuclei); }, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, nullptr, [] { return make(); });
}
