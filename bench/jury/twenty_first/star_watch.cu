// Watches 262,144 stars for flares: each exposure of 2048 x 2048 pixels is calibrated, blurred as much as the
// reference picture, and compared with it, and then each star's brightness is measured. The light curves of
// the last 64 exposures are kept by the host. An exposure a round.
#include <memory>
#include <vector>

#include "../case.cuh"

namespace {

constexpr int kSide = 2048, kPixels = kSide * kSide, kStarsOfRow = 128, kStars = kSide * kStarsOfRow;
constexpr int kTile = 32, kBlur = 3, kWindow = kTile + 2 * kBlur, kAperture = 2, kThreads = 256;
constexpr int kSlots = 4, kKept = 64, kNewRows = 32, kRounds = 10000;
constexpr float kDark = 96, kFlare = 40;

// What an exposure needs on its way.
struct Slot {
  unsigned short* host_exposure;
  ushort4* exposure;
  float* brightness;
  cudaEvent_t uploaded, calibrated, measured, stored;
};

struct Telescope {
  Slot slots[kSlots];
  std::vector<float> pageable_curves;
  float* curves;  // the host's
  float *flat, *reference, *counts, *difference, *usual;
  int *columns, *flares;
  cudaStream_t uploads, work, downloads;
  int exposure;
};

// A thread has four pixels.
__global__ void __launch_bounds__(kThreads)
    calibrate(float4* __restrict__ counts, const ushort4* __restrict__ exposure,
              const float4* __restrict__ flat) {
  const auto i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const ushort4 raw = exposure[i];
  const float4 gain = flat[i];
  counts[i] = make_float4((raw.x - kDark) * gain.x, (raw.y - kDark) * gain.y, (raw.z - kDark) * gain.z,
                          (raw.w - kDark) * gain.w);
}

__device__ float blurred(const float* first, int stride) {
  constexpr float kWeights[2 * kBlur + 1] = {0.03F, 0.11F, 0.22F, 0.28F, 0.22F, 0.11F, 0.03F};
  float sum = 0;
#pragma unroll
  for (int i = 0; i <= 2 * kBlur; ++i) sum += kWeights[i] * first[i * stride];
  return sum;
}

// A block has a tile. Beyond the edge of the picture pixels are those of the edge.
__global__ void __launch_bounds__(kThreads)
    compare(float* __restrict__ difference, const float* __restrict__ counts,
            const float* __restrict__ reference) {
  __shared__ float window[kWindow][kWindow], rows[kWindow][kTile];
  const auto lane = static_cast<int>(threadIdx.x % kTile), first = static_cast<int>(threadIdx.x / kTile);
  const int left = static_cast<int>(blockIdx.x) * kTile, top = static_cast<int>(blockIdx.y) * kTile;
  for (int row = first; row < kWindow; row += kThreads / kTile) {
    const float* line = counts + min(max(top + row - kBlur, 0), kSide - 1) * kSide;
    for (int column = lane; column < kWindow; column += kTile)
      window[row][column] = line[min(max(left + column - kBlur, 0), kSide - 1)];
  }
  __syncthreads();
  for (int row = first; row < kWindow; row += kThreads / kTile)
    rows[row][lane] = blurred(&window[row][lane], 1);
  __syncthreads();
  for (int row = first; row < kTile; row += kThreads / kTile) {
    const int at = (top + row) * kSide + left + lane;
    difference[at] = blurred(&rows[row][lane], kTile) - reference[at];
  }
}

// A thread has a star. Each row of the picture has 128.
__global__ void __launch_bounds__(kThreads)
    measure_stars(float* __restrict__ brightness, const float* __restrict__ difference,
                  const int* __restrict__ columns) {
  const auto star = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const int column = columns[star], row = star / kStarsOfRow;
  float sum = 0;
#pragma unroll
  for (int y = -kAperture; y <= kAperture; ++y) {
    const float* line = difference + min(max(row + y, 0), kSide - 1) * kSide;
#pragma unroll
    for (int x = -kAperture; x <= kAperture; ++x) sum += line[min(max(column + x, 0), kSide - 1)];
  }
  brightness[star] = sum;
}

// How bright a star usually is, and how many of a block's are brighter than that.
__global__ void __launch_bounds__(kThreads)
    find_flares(int* __restrict__ flares, float* __restrict__ usual, const float* __restrict__ brightness) {
  const auto star = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const float now = brightness[star], before = usual[star];
  usual[star] = before + 0.05F * (now - before);
  const int found = __syncthreads_count(now - before > kFlare ? 1 : 0);
  if (threadIdx.x == 0) flares[blockIdx.x] += found;
}

cudaEvent_t new_event() {
  cudaEvent_t event = nullptr;
  CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  return event;
}

// Stands for the camera: some rows of the exposure change.
void read_camera(const Slot& slot, int exposure) {
  unsigned short* rows = slot.host_exposure + exposure / kSlots % (kSide / kNewRows) * kNewRows * kSide;
  const auto change = static_cast<unsigned short>(exposure * 37 % 251);
  for (int i = 0; i < kNewRows * kSide; ++i) rows[i] = static_cast<unsigned short>(rows[i] ^ change);
}

void upload(const Telescope& telescope, const Slot& slot, int exposure) {
  CHECK(cudaEventSynchronize(slot.uploaded));
  read_camera(slot, exposure);
  CHECK(cudaStreamWaitEvent(telescope.uploads, slot.calibrated, 0));
  CHECK(cudaMemcpyAsync(slot.exposure, slot.host_exposure, kPixels * sizeof(unsigned short),
                        cudaMemcpyHostToDevice, telescope.uploads));
  CHECK(cudaEventRecord(slot.uploaded, telescope.uploads));
}

void measure(const Telescope& telescope, const Slot& slot) {
  CHECK(cudaStreamWaitEvent(telescope.work, slot.uploaded, 0));
  calibrate<<<kPixels / 4 / kThreads, kThreads, 0, telescope.work>>>(
      reinterpret_cast<float4*>(telescope.counts), slot.exposure,
      reinterpret_cast<const float4*>(telescope.flat));
  CHECK(cudaEventRecord(slot.calibrated, telescope.work));
  compare<<<dim3(kSide / kTile, kSide / kTile), kThreads, 0, telescope.work>>>(
      telescope.difference, telescope.counts, telescope.reference);
  CHECK(cudaStreamWaitEvent(telescope.work, slot.stored, 0));
  measure_stars<<<kStars / kThreads, kThreads, 0, telescope.work>>>(slot.brightness, telescope.difference,
                                                                    telescope.columns);
  find_flares<<<kStars / kThreads, kThreads, 0, telescope.work>>>(telescope.flares, telescope.usual,
                                                                  slot.brightness);
  CHECK(cudaEventRecord(slot.measured, telescope.work));
}

void keep(const Telescope& telescope, const Slot& slot, int exposure) {
  CHECK(cudaStreamWaitEvent(telescope.downloads, slot.measured, 0));
  float* curves = telescope.curves + static_cast<std::size_t>(exposure % kKept) * kStars;
  CHECK(cudaMemcpyAsync(curves, slot.brightness, kStars * sizeof(float), cudaMemcpyDeviceToHost,  // fault
                        telescope.downloads));
  CHECK(cudaEventRecord(slot.stored, telescope.downloads));
}

void watch(Telescope& telescope) {
  const int exposure = telescope.exposure++;
  const Slot& slot = telescope.slots[exposure % kSlots];
  upload(telescope, slot, exposure);
  measure(telescope, slot);
  keep(telescope, slot, exposure);
}

void set_up(Telescope& telescope, bool pinned_curves) {
  constexpr std::size_t kCurves = std::size_t{kKept} * kStars;
  if (!pinned_curves) telescope.pageable_curves.resize(kCurves);
  telescope.curves = pinned_curves ? pinned_array<float>(kCurves) : telescope.pageable_curves.data();
  for (float** array : {&telescope.flat, &telescope.reference, &telescope.counts, &telescope.difference})
    *array = device_array<float>(kPixels);
  fill_fractions(telescope.flat, kPixels, 0x68bc21ebU);
  fill_fractions(telescope.reference, kPixels, 0x02e5be93U);
  telescope.usual = device_array<float>(kStars);
  CHECK(cudaMemset(telescope.usual, 0, kStars * sizeof(float)));
  telescope.flares = device_array<int>(kStars / kThreads);
  CHECK(cudaMemset(telescope.flares, 0, kStars / kThreads * sizeof(int)));
  auto* columns = pinned_array<int>(kStars);
  for (int star = 0; star < kStars; ++star)
    columns[star] = static_cast<int>(
        (static_cast<unsigned>(star % kStarsOfRow) + mixed_fraction(static_cast<unsigned>(star))) *
        (kSide / kStarsOfRow));
  telescope.columns = device_array<int>(kStars);
  CHECK(cudaMemcpy(telescope.columns, columns, kStars * sizeof(int), cudaMemcpyHostToDevice));
  CHECK(cudaFreeHost(columns));
  for (cudaStream_t* stream : {&telescope.uploads, &telescope.work, &telescope.downloads})
    CHECK(cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking));
  for (Slot& slot : telescope.slots) {
    slot = {pinned_array<unsigned short>(kPixels),
            device_array<ushort4>(kPixels / 4),
            device_array<float>(kStars),
            new_event(),
            new_event(),
            new_event(),
            new_event()};
    for (int i = 0; i < kPixels; ++i)
      slot.host_exposure[i] = static_cast<unsigned short>(96 + mixed_bits(static_cast<unsigned>(i)) % 512);
  }
}

// Flares, and how bright stars were in the exposures that the host keeps.
double total(const Telescope& telescope) {
  double sum = device_sum(telescope.flares, kStars / kThreads);
  for (std::size_t i = 0; i < std::size_t{kKept} * kStars; ++i) sum += 1e-6 * telescope.curves[i];
  return sum;
}

Case make(bool pinned_curves) {
  const auto telescope = std::make_shared<Telescope>();
  set_up(*telescope, pinned_curves);
  return {[=] { watch(*telescope); }, [=] { return total(*telescope); }, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(false); }, [] { return make(true); });
}
