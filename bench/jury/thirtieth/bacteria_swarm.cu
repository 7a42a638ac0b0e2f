// A swarm of bacteria on a dish: two million of them turn as their neighbours do (Vicsek's model), keep
// apart, follow the food, and eat it; cells of a grid, found by sorting, tell who is near. Eight steps a
// round.
#include <cub/cub.cuh>
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kBacteria = 1 << 21, kThreads = 256, kBits = 10, kSide = 1 << kBits, kCells = kSide * kSide;
constexpr int kFine = 2, kFoodSide = kFine * kSide, kFoods = kFoodSide * kFoodSide;
constexpr int kTileWide = 32, kTileHigh = 8, kFoodSteps = 12, kStepsOfRound = 8, kRounds = 270;
constexpr float kPush = 4096, kSpeed = 0.12F, kPi = 3.1415927F;

// Places count in cells. A heading is a unit vector of two numbers of 16 bits, so that sums of headings do
// not depend on the order.
struct __align__(16) Bacterium {
  float x, y;
  short2 heading;
  unsigned number;
};

struct Dish {
  Bacterium *swarm, *other;
  float *food, *next_food;
  unsigned *keys, *sorted_keys;
  int *places, *order, *starts;
  void* temporary;
  std::size_t temporary_bytes = 0;
  cudaStream_t stream;
  unsigned step = 0;
};

// What a bacterium sees of its neighbours.
struct Sight {
  int along = 0, up = 0, push_x = 0, push_y = 0, count = 0;

  __device__ void add(const Bacterium& own, const Bacterium& near) {
    const float dx = own.x - near.x, dy = own.y - near.y, square = dx * dx + dy * dy;
    if (square >= 1 || near.number == own.number) return;
    const float far = rsqrtf(square + 1e-6F), much = kPush * fmaxf(far - 2, 0) / (far + 1);
    along += near.heading.x;
    up += near.heading.y;
    push_x += __float2int_rn(much * dx * far);
    push_y += __float2int_rn(much * dy * far);
    ++count;
  }
};

__device__ int cell_along(float place) {
  return min(max(static_cast<int>(place), 0), kSide - 1);
}

__global__ void __launch_bounds__(kThreads)
    find_cells(unsigned* __restrict__ keys, int* __restrict__ places, const Bacterium* __restrict__ swarm) {
  const auto i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const Bacterium own = swarm[i];
  keys[i] = static_cast<unsigned>(cell_along(own.y) * kSide + cell_along(own.x));
  places[i] = i;
}

// Where each cell begins in the sorted order; the last number is that of all.
__global__ void __launch_bounds__(kThreads)
    find_starts(int* __restrict__ starts, const unsigned* __restrict__ sorted_keys) {
  const auto i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const int own = static_cast<int>(sorted_keys[i]);
  const int before = i > 0 ? static_cast<int>(sorted_keys[i - 1]) : -1;
  for (int cell = before + 1; cell <= own; ++cell) starts[cell] = i;
  if (i == kBacteria - 1)
    for (int cell = own + 1; cell <= kCells; ++cell) starts[cell] = kBacteria;
}

__global__ void __launch_bounds__(kThreads)
    arrange(Bacterium* __restrict__ arranged, const Bacterium* __restrict__ swarm,
            const int* __restrict__ order) {
  const auto i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  arranged[i] = swarm[order[i]];
}

__device__ float2 slope_at(const float* __restrict__ food, float x, float y) {
  const int column = min(max(static_cast<int>(kFine * x), 1), kFoodSide - 2);
  const int row = min(max(static_cast<int>(kFine * y), 1), kFoodSide - 2);
  const int i = row * kFoodSide + column;
  return make_float2(food[i + 1] - food[i - 1], food[i + kFoodSide] - food[i - kFoodSide]);
}

__device__ float reflected(float place, float& heading) {
  if (place >= 0 && place < kSide) return place;
  heading = -heading;
  return place < 0 ? -place : fminf(2 * kSide - place, kSide - 1e-3F);
}

__device__ Bacterium moved(Bacterium own, const Sight& sight, float2 slope, unsigned step) {
  const unsigned bits = mixed_bits(own.number ^ step * 2654435761U);
  const float noise = 1.1F * (static_cast<float>(bits >> 8) / static_cast<float>(1U << 24) - 0.5F);
  constexpr float kUnit = 1.0F / 32767;
  const float crowd = 1 / (1 + static_cast<float>(sight.count));
  const float weight = 1.0F / kPush;
  const float along = kUnit * static_cast<float>(own.heading.x) +
                      kUnit * crowd * static_cast<float>(sight.along) +
                      weight * static_cast<float>(sight.push_x) + 0.4F * slope.x;
  const float up = kUnit * static_cast<float>(own.heading.y) + kUnit * crowd * static_cast<float>(sight.up) +
                   weight * static_cast<float>(sight.push_y) + 0.4F * slope.y;
  float sine = 0, cosine = 0;
  __sincosf(noise, &sine, &cosine);
  const float length = rsqrtf(along * along + up * up + 1e-12F);
  float ahead = length * (along * cosine - up * sine), above = length * (along * sine + up * cosine);
  const float x = reflected(own.x + kSpeed * ahead, ahead), y = reflected(own.y + kSpeed * above, above);
  own.x = x;
  own.y = y;
  own.heading = make_short2(static_cast<short>(__float2int_rn(32767 * ahead)),
                            static_cast<short>(__float2int_rn(32767 * above)));
  return own;
}

// Three rows of up to three cells each, which lie side by side in the sorted order.
template <class Near>
__device__ Sight look(const Bacterium& own, const int* __restrict__ starts, const Near& near_at) {
  const int column = cell_along(own.x), row = cell_along(own.y);
  const int left = max(column - 1, 0), right = min(column + 1, kSide - 1);
  Sight sight;
  for (int y = max(row - 1, 0); y <= min(row + 1, kSide - 1); ++y) {
    const int end = starts[y * kSide + right + 1];
    for (int k = starts[y * kSide + left]; k < end; ++k) sight.add(own, near_at(k));  // fault
  }
  return sight;
}

__global__ void __launch_bounds__(kThreads)
    steer(Bacterium* __restrict__ next, const Bacterium* __restrict__ swarm, const int* __restrict__ order,
          const int* __restrict__ starts, const float* __restrict__ food, unsigned step) {
  const auto i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const Bacterium own = swarm[i];
  const Sight sight = look(own, starts, [=](int k) { return swarm[order[k]]; });  // fault
  next[i] = moved(own, sight, slope_at(food, own.x, own.y), step);
}

__global__ void __launch_bounds__(kThreads)
    steer_arranged(Bacterium* __restrict__ next, const Bacterium* __restrict__ arranged,
                   const int* __restrict__ starts, const float* __restrict__ food, unsigned step) {
  const auto i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const Bacterium own = arranged[i];
  const Sight sight = look(own, starts, [=](int k) { return arranged[k]; });
  next[i] = moved(own, sight, slope_at(food, own.x, own.y), step);
}

// Food spreads, is eaten, and is poured where a pipette goes around.
__global__ void __launch_bounds__(kTileWide* kTileHigh)
    feed(float* __restrict__ next, const float* __restrict__ food, const int* __restrict__ starts,
         float2 pipette) {
  const int x = static_cast<int>(blockIdx.x) * kTileWide + static_cast<int>(threadIdx.x);
  const int y = static_cast<int>(blockIdx.y) * kTileHigh + static_cast<int>(threadIdx.y);
  const int i = y * kFoodSide + x, cell = y / kFine * kSide + x / kFine;
  const float own = food[i];
  const float left = x > 0 ? food[i - 1] : own, right = x + 1 < kFoodSide ? food[i + 1] : own;
  const float above = y > 0 ? food[i - kFoodSide] : own,
              below = y + 1 < kFoodSide ? food[i + kFoodSide] : own;
  const auto eaters = static_cast<float>(starts[cell + 1] - starts[cell]);
  const float dx = static_cast<float>(x) - pipette.x, dy = static_cast<float>(y) - pipette.y;
  constexpr float kWide = 1.0F / (0.02F * kFoodSide * kFoodSide);
  const float poured = 0.01F * __expf(-kWide * (dx * dx + dy * dy)) + 2e-4F;
  const float spread = own + 0.2F * (left + right + above + below - 4 * own);
  next[i] = spread * fmaxf(1 - 0.002F * eaters, 0.5F) + poured * (1 - fminf(spread, 1));
}

__global__ void __launch_bounds__(kThreads) inoculate(Bacterium* swarm) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  const float around = 2 * kPi * mixed_fraction(i + 7);
  swarm[i] = {
      kSide * mixed_fraction(2 * i), kSide * mixed_fraction(2 * i + 1),
      make_short2(static_cast<short>(32767 * __cosf(around)), static_cast<short>(32767 * __sinf(around))), i};
}

// Who steers whom: bacteria as they were put on the dish, or as they lie on it.
struct AsPut {
  static void steer_all(Dish& own) {
    steer<<<kBacteria / kThreads, kThreads, 0, own.stream>>>(              // fault
        own.other, own.swarm, own.order, own.starts, own.food, own.step);  // fault
    std::swap(own.swarm, own.other);
  }
};

struct AsTheyLie {
  static void steer_all(Dish& own) {
    constexpr int kBlocks = kBacteria / kThreads;
    arrange<<<kBlocks, kThreads, 0, own.stream>>>(own.other, own.swarm, own.order);
    steer_arranged<<<kBlocks, kThreads, 0, own.stream>>>(own.swarm, own.other, own.starts, own.food,
                                                         own.step);
  }
};

template <class Way>
void next_step(Dish& dish) {
  constexpr int kBlocks = kBacteria / kThreads;
  find_cells<<<kBlocks, kThreads, 0, dish.stream>>>(dish.keys, dish.places, dish.swarm);
  CHECK(cub::DeviceRadixSort::SortPairs(dish.temporary, dish.temporary_bytes, dish.keys, dish.sorted_keys,
                                        dish.places, dish.order, kBacteria, 0, 2 * kBits, dish.stream));
  find_starts<<<kBlocks, kThreads, 0, dish.stream>>>(dish.starts, dish.sorted_keys);
  Way::steer_all(dish);  // fault
  const float turn = 0.01F * static_cast<float>(dish.step);
  const float2 pipette = make_float2(kFoodSide * (0.5F + 0.3F * std::cos(turn)),
                                     kFoodSide * (0.5F + 0.3F * std::sin(1.7F * turn)));
  for (int i = 0; i < kFoodSteps; ++i) {
    feed<<<dim3(kFoodSide / kTileWide, kFoodSide / kTileHigh), dim3(kTileWide, kTileHigh), 0, dish.stream>>>(
        dish.next_food, dish.food, dish.starts, pipette);
    std::swap(dish.food, dish.next_food);
  }
  ++dish.step;
}

void open_dish(Dish& dish) {
  for (Bacterium** swarm : {&dish.swarm, &dish.other}) *swarm = device_array<Bacterium>(kBacteria);
  for (float** food : {&dish.food, &dish.next_food}) *food = device_array<float>(kFoods);
  for (unsigned** keys : {&dish.keys, &dish.sorted_keys}) *keys = device_array<unsigned>(kBacteria);
  for (int** places : {&dish.places, &dish.order}) *places = device_array<int>(kBacteria);
  dish.starts = device_array<int>(kCells + 1);
  CHECK(cub::DeviceRadixSort::SortPairs(nullptr, dish.temporary_bytes, dish.keys, dish.sorted_keys,
                                        dish.places, dish.order, kBacteria, 0, 2 * kBits));
  dish.temporary = device_array<char>(dish.temporary_bytes);
  inoculate<<<kBacteria / kThreads, kThreads>>>(dish.swarm);
  fill_fractions(dish.food, kFoods, 5);
  CHECK(cudaStreamCreateWithFlags(&dish.stream, cudaStreamNonBlocking));
}

template <class Way>
Case make() {
  const auto dish = std::make_shared<Dish>();
  open_dish(*dish);
  const auto round = [=] {
    for (int i = 0; i < kStepsOfRound; ++i) next_step<Way>(*dish);
  };
  // Places and headings of all, whoever lies where, and the food.
  const auto sum = [=] {
    Bacterium* swarm = pinned_array<Bacterium>(kBacteria);
    CHECK(cudaMemcpy(swarm, dish->swarm, kBacteria * sizeof(Bacterium), cudaMemcpyDeviceToHost));
    double all = 0;
    for (int i = 0; i < kBacteria; ++i)
      all += swarm[i].x + 2 * swarm[i].y + std::abs(static_cast<double>(swarm[i].heading.x)) / 32767;
    CHECK(cudaFreeHost(swarm));
    return all + device_sum(dish->food, kFoods);
  };
  return {round, sum, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, make<AsPut>, make<AsTheyLie>);
}
