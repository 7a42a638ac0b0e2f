// The view from above a car: four cameras with wide lenses send their pictures, which are made equally
// bright, bent onto the ground by tables of the calibration, sharpened, and searched for what moves. The
// pictures of the next moment are uploaded meanwhile. Eight moments a round.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kCameras = 4, kWide = 1280, kHigh = 800, kPixels = kWide * kHigh, kThreads = 256;
constexpr int kView = 1024, kViewPixels = kView * kView, kCell = 16, kCells = kView / kCell;
constexpr int kSlots = 3, kMoments = 8, kRounds = 420, kLightBlocks = 100;
constexpr int kQuads = kPixels / 4, kPatch = 48, kTileWide = 32, kTileHigh = 8;
constexpr std::size_t kPictures = std::size_t{kCameras} * kPixels;
constexpr float kPi = 3.14159265F, kLearn = 0.05F, kSharp = 0.6F, kMoved = 0.04F;

using Pixel = uchar4;

// Which places of two cameras' pictures a place of the view is seen at, how much the first one counts, and
// which cameras these are.
struct Rig {
  float4* places;
  float2* shares;
};

struct Slot {
  Pixel *taken, *uploaded;
  Rig rig;
  float *moved, *told;
  cudaEvent_t ready, done;
};

struct Car {
  Slot slots[kSlots];
  Rig calibration;  // pinned
  unsigned* parts;
  float* gains;
  float4 *view, *sharp, *last;
  cudaStream_t copies, work;
  double told = 0;
  int moment = 0;
};

__device__ unsigned light_of(unsigned pixel) {
  return (pixel & 255) * 2 + (pixel >> 8 & 255) * 5 + (pixel >> 16 & 255);
}

// A block adds up a part of a camera's picture.
__global__ void __launch_bounds__(kThreads)
    measure_light(unsigned* __restrict__ parts, const uint4* __restrict__ pictures) {
  __shared__ unsigned warps[kThreads / 32];
  const auto thread = static_cast<int>(threadIdx.x), camera = static_cast<int>(blockIdx.y);
  unsigned sum = 0;
#pragma unroll
  for (int part = 0; part < kQuads / (kLightBlocks * kThreads); ++part) {
    const uint4 four =
        pictures[camera * kQuads + (part * kLightBlocks + static_cast<int>(blockIdx.x)) * kThreads + thread];
    sum += light_of(four.x) + light_of(four.y) + light_of(four.z) + light_of(four.w);
  }
  sum = __reduce_add_sync(0xffffffffU, sum);
  if (thread % 32 == 0) warps[thread / 32] = sum;
  __syncthreads();
  if (thread != 0) return;
  for (int warp = 1; warp < kThreads / 32; ++warp) sum += warps[warp];
  parts[camera * kLightBlocks + static_cast<int>(blockIdx.x)] = sum;
}

// A warp has a camera. Gains follow slowly, so that the view does not flicker.
__global__ void __launch_bounds__(kCameras * 32)
    balance(float* __restrict__ gains, const unsigned* __restrict__ parts) {
  const auto camera = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  float sum = 0;
  for (int i = lane; i < kLightBlocks; i += 32) sum += static_cast<float>(parts[camera * kLightBlocks + i]);
  for (int far = 16; far > 0; far /= 2) sum += __shfl_xor_sync(0xffffffffU, sum, far);
  const float light = sum / (8.0F * 255 * kPixels);
  if (lane == 0) gains[camera] += kLearn * (0.5F / (light + 0.05F) - gains[camera]);
}

__device__ float3 mixed(float3 one, float3 other, float share) {
  return make_float3(one.x + share * (other.x - one.x), one.y + share * (other.y - one.y),
                     one.z + share * (other.z - one.z));
}

__device__ float3 colour_of(Pixel pixel) {
  return make_float3(pixel.x / 255.0F, pixel.y / 255.0F, pixel.z / 255.0F);
}

// Places lie within the picture, by one pixel at least.
__device__ float3 seen(const Pixel* __restrict__ picture, float x, float y) {
  const int left = static_cast<int>(x), top = static_cast<int>(y);
  const float across = x - static_cast<float>(left), down = y - static_cast<float>(top);
  const Pixel* at = picture + top * kWide + left;
  return mixed(mixed(colour_of(at[0]), colour_of(at[1]), across),
               mixed(colour_of(at[kWide]), colour_of(at[kWide + 1]), across), down);
}

// A block has 32 by 8 places of the view.
__global__ void __launch_bounds__(kThreads)
    bend_pictures(float4* __restrict__ view, const Pixel* __restrict__ pictures, Rig rig,
                  const float* __restrict__ gains) {
  const auto x = static_cast<int>(blockIdx.x * kTileWide + threadIdx.x);
  const auto y = static_cast<int>(blockIdx.y * kTileHigh + threadIdx.y);
  const int i = y * kView + x;
  const float4 place = rig.places[i];
  const float2 share = rig.shares[i];
  const auto pair = static_cast<int>(share.y);
  const int first = pair / kCameras, second = pair % kCameras;
  const float3 one = seen(pictures + std::size_t{kPixels} * first, place.x, place.y);
  const float3 other = seen(pictures + std::size_t{kPixels} * second, place.z, place.w);
  const float own = share.x * gains[first], others = (1 - share.x) * gains[second];
  view[i] = make_float4(own * one.x + others * other.x, own * one.y + others * other.y,
                        own * one.z + others * other.z, 1);
}

__device__ float4 inside(const float4* view, int x, int y) {
  return view[min(max(y, 0), kView - 1) * kView + min(max(x, 0), kView - 1)];
}

__global__ void __launch_bounds__(kThreads)
    sharpen(float4* __restrict__ sharp, const float4* __restrict__ view) {
  __shared__ float4 tile[kTileHigh + 2][kTileWide + 2];
  const auto across = static_cast<int>(threadIdx.x), down = static_cast<int>(threadIdx.y);
  const int left = static_cast<int>(blockIdx.x) * kTileWide, top = static_cast<int>(blockIdx.y) * kTileHigh;
  for (int i = down * kTileWide + across; i < (kTileHigh + 2) * (kTileWide + 2); i += kThreads) {
    const int row = i / (kTileWide + 2), column = i % (kTileWide + 2);
    tile[row][column] = inside(view, left + column - 1, top + row - 1);
  }
  __syncthreads();
  float3 sum = make_float3(0, 0, 0);
#pragma unroll
  for (int k = 0; k < 9; ++k) {
    const float4 near = tile[down + k / 3][across + k % 3];
    sum = make_float3(sum.x + near.x / 9, sum.y + near.y / 9, sum.z + near.z / 9);
  }
  const float4 here = tile[down + 1][across + 1];
  sharp[(top + down) * kView + left + across] =
      make_float4(here.x + kSharp * (here.x - sum.x), here.y + kSharp * (here.y - sum.y),
                  here.z + kSharp * (here.z - sum.z), 1);
}

// A block has a cell of 16 by 16 places, and remembers how it looked.
__global__ void __launch_bounds__(kThreads)
    find_moved(float* __restrict__ moved, float4* __restrict__ last, const float4* __restrict__ sharp) {
  const auto thread = static_cast<int>(threadIdx.x);
  const auto x = static_cast<int>(blockIdx.x) * kCell + thread % kCell;
  const auto y = static_cast<int>(blockIdx.y) * kCell + thread / kCell;
  const float4 now = sharp[y * kView + x], old = last[y * kView + x];
  const float change = fabsf(now.x - old.x) + fabsf(now.y - old.y) + fabsf(now.z - old.z);
  last[y * kView + x] = make_float4(old.x + 0.5F * (now.x - old.x), old.y + 0.5F * (now.y - old.y),
                                    old.z + 0.5F * (now.z - old.z), 1);
  const int count = __syncthreads_count(change > kMoved);
  if (thread == 0) moved[blockIdx.y * kCells + blockIdx.x] = static_cast<float>(count) / kThreads;
}

// Where the lens of a camera sees a place of the ground, in metres from the middle of the car.
float2 on_sensor(int camera, float x, float y) {
  const float turn = 0.5F * kPi * static_cast<float>(camera);
  const float ahead = std::cos(turn) * x + std::sin(turn) * y - 1,
              side = -std::sin(turn) * x + std::cos(turn) * y;
  const float flat = std::sqrt(ahead * ahead + side * side), bend = std::atan2(flat, 1.2F);
  const float lens = 260 * bend * (1 - 0.03F * bend * bend) / (flat + 1e-3F);
  return make_float2(std::clamp(0.5F * kWide + lens * side, 1.0F, kWide - 3.0F),
                     std::clamp(0.5F * kHigh + 300 - lens * ahead, 1.0F, kHigh - 3.0F));
}

// Near the corners two cameras see the ground; the view goes from one to the other.
void calibrate(const Rig& rig) {
  for (int i = 0; i < kViewPixels; ++i) {
    const float x = 10.0F * (static_cast<float>(i % kView) + 0.5F) / kView - 5;
    const float y = 10.0F * (static_cast<float>(i / kView) + 0.5F) / kView - 5;
    const float turn = std::atan2(y, x) / (0.5F * kPi) + 4, whole = std::floor(turn);
    const int first = static_cast<int>(whole) % kCameras, second = (first + 1) % kCameras;
    const float2 one = on_sensor(first, x, y), other = on_sensor(second, x, y);
    const float share = std::clamp(3 * (0.5F - (turn - whole)) + 0.5F, 0.0F, 1.0F);
    rig.places[i] = make_float4(one.x, one.y, other.x, other.y);
    rig.shares[i] = make_float2(share, static_cast<float>(first * kCameras + second) + 0.5F);
  }
}

void send_rig(const Rig& rig, const Rig& calibration, cudaStream_t stream) {
  CHECK(cudaMemcpyAsync(rig.places, calibration.places, kViewPixels * sizeof(float4),  // fault
                        cudaMemcpyHostToDevice, stream));                              // fault
  CHECK(cudaMemcpyAsync(rig.shares, calibration.shares, kViewPixels * sizeof(float2),  // fault
                        cudaMemcpyHostToDevice, stream));                              // fault
}

// The driver's pictures: somebody walks through each of them.
void take_pictures(Pixel* taken, int moment) {
  for (int camera = 0; camera < kCameras; ++camera) {
    const int left = (moment * 7 + camera * 300) % (kWide - kPatch), top = 500 + (moment * 3) % 200;
    const auto bright = static_cast<unsigned char>(40 + (moment * 11 + camera * 50) % 200);
    for (int row = 0; row < kPatch; ++row) {
      Pixel* at = taken + std::size_t{kPixels} * camera + (top + row) * kWide + left;
      const auto down = static_cast<unsigned char>(row * 5);
      for (int column = 0; column < kPatch; ++column)
        at[column] = make_uchar4(bright, static_cast<unsigned char>(column * 5), down, 0);
    }
  }
}

void show(const Car& car, const Slot& slot) {
  const dim3 tiles(kView / kTileWide, kView / kTileHigh), threads(kTileWide, kTileHigh);
  measure_light<<<dim3(kLightBlocks, kCameras), kThreads, 0, car.work>>>(
      car.parts, reinterpret_cast<const uint4*>(slot.uploaded));
  balance<<<1, kCameras * 32, 0, car.work>>>(car.gains, car.parts);
  bend_pictures<<<tiles, threads, 0, car.work>>>(car.view, slot.uploaded, slot.rig, car.gains);
  sharpen<<<tiles, threads, 0, car.work>>>(car.sharp, car.view);
  find_moved<<<dim3(kCells, kCells), kThreads, 0, car.work>>>(slot.moved, car.last, car.sharp);
}

template <bool kWithRig>
void next_moment(Car& car) {
  const int moment = car.moment++;
  Slot& slot = car.slots[moment % kSlots];
  CHECK(cudaEventSynchronize(slot.done));
  if (moment >= kSlots)
    for (int i = 0; i < kCells * kCells; ++i) car.told += slot.told[i];
  take_pictures(slot.taken, moment);
  CHECK(cudaMemcpyAsync(slot.uploaded, slot.taken, kPictures * sizeof(Pixel), cudaMemcpyHostToDevice,
                        car.copies));
  if (kWithRig) send_rig(slot.rig, car.calibration, car.copies);  // fault
  CHECK(cudaEventRecord(slot.ready, car.copies));
  CHECK(cudaStreamWaitEvent(car.work, slot.ready, 0));
  show(car, slot);
  CHECK(cudaMemcpyAsync(slot.told, slot.moved, kCells * kCells * sizeof(float), cudaMemcpyDeviceToHost,
                        car.work));
  CHECK(cudaEventRecord(slot.done, car.work));
}

void prepare(Slot& slot, unsigned number) {
  slot.taken = pinned_array<Pixel>(kPictures);
  for (std::size_t i = 0; i < kPictures; ++i) {
    const unsigned noise = mixed_bits(static_cast<unsigned>(i) + number * 40000003U);
    const auto grey = static_cast<unsigned char>(60 + i % kWide / 16 + (i / kPixels) * 15 + noise % 8);
    slot.taken[i] = make_uchar4(grey, grey, static_cast<unsigned char>(grey / 2 + (noise >> 8) % 8), 0);
  }
  slot.uploaded = device_array<Pixel>(kPictures);
  slot.rig = {device_array<float4>(kViewPixels), device_array<float2>(kViewPixels)};
  slot.moved = device_array<float>(kCells * kCells);
  slot.told = pinned_array<float>(kCells * kCells);
  CHECK(cudaEventCreateWithFlags(&slot.ready, cudaEventDisableTiming));
  CHECK(cudaEventCreateWithFlags(&slot.done, cudaEventDisableTiming));
}

template <bool kWithRig>
Case make() {
  const auto car = std::make_shared<Car>();
  car->calibration = {pinned_array<float4>(kViewPixels), pinned_array<float2>(kViewPixels)};
  calibrate(car->calibration);
  CHECK(cudaStreamCreateWithFlags(&car->copies, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&car->work, cudaStreamNonBlocking));
  for (unsigned number = 0; number < kSlots; ++number) {
    prepare(car->slots[number], number);
    if (!kWithRig) send_rig(car->slots[number].rig, car->calibration, car->copies);
  }
  car->parts = device_array<unsigned>(kCameras * kLightBlocks);
  car->gains = device_array<float>(kCameras);
  CHECK(cudaMemset(car->gains, 0, kCameras * sizeof(float)));
  for (float4** view : {&car->view, &car->sharp, &car->last}) {
    *view = device_array<float4>(kViewPixels);
    CHECK(cudaMemset(*view, 0, kViewPixels * sizeof(float4)));
  }
  const auto round = [=] {
    for (int i = 0; i < kMoments; ++i) next_moment<kWithRig>(*car);
  };
  const auto sum = [=] {
    return car->told +
           device_sum(reinterpret_cast<const float*>(car->sharp), 4 * std::size_t{kViewPixels}) * 1e-2;
  };
  return {round, sum, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, make<true>, make<false>);
}
