// Waves in a harbour, by the shallow water equations: swell comes in from the sea, runs around moles and
// between quays, and moves ships at their berths. Stations keep the spectrum of the water. An hour of the
// model is a round.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kWide = 2048, kHigh = 1024, kCells = kWide * kHigh, kThreads = 256, kBlocks = kCells / kThreads;
constexpr int kShips = 4096, kStations = 512, kTones = 8, kSteps = 128, kStepsOfShips = 4, kRounds = 640;
constexpr float kGravityStep = 0.5F, kTimeStep = 0.5F, kFriction = 0.002F, kDrag = 0.01F;
constexpr int kSponge = 48;

// The surface is in the middle of cells, speeds are at their eastern and northern sides.
struct Water {
  float *surface, *east, *north, *depth;
};

struct Ship {
  float heave, speed, strain;
  int berth;
};

struct Harbour {
  Water water;
  Ship* ships;
  int* stations;
  float2* spectra;
  int step = 0;
};

// Swell of three directions at the southern side.
__device__ float swell_at(int x, float time) {
  const auto far = static_cast<float>(x);
  return 0.05F * (__sinf(0.11F * time) + 0.6F * __sinf(0.17F * time - 0.02F * far) +
                  0.4F * __sinf(0.07F * time + 0.01F * far));
}

// Water runs to where the surface is lower, unless there is land; near the sides it is slowed down.
__global__ void __launch_bounds__(kThreads)
    push_water(float* __restrict__ east, float* __restrict__ north, const float* __restrict__ surface,
               const float* __restrict__ depth) {
  const auto i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const int x = i % kWide, y = i / kWide;
  const float own = surface[i], deep = depth[i];
  const int side = min(min(x, kWide - 1 - x), kHigh - 1 - y);
  const float calm = side < kSponge ? 1 - 0.1F * static_cast<float>(kSponge - side) / kSponge : 1;
  float to_east = 0, to_north = 0;
  if (deep > 0 && x < kWide - 1 && depth[i + 1] > 0) {
    to_east = east[i] - kGravityStep * (surface[i + 1] - own);
    to_east *= calm / (1 + kFriction + kDrag * fabsf(to_east));
  }
  if (deep > 0 && y < kHigh - 1 && depth[i + kWide] > 0) {
    to_north = north[i] - kGravityStep * (surface[i + kWide] - own);
    to_north *= calm / (1 + kFriction + kDrag * fabsf(to_north));
  }
  east[i] = to_east;
  north[i] = to_north;
}

// What flows in raises the surface; the first row is the sea.
__global__ void __launch_bounds__(kThreads)
    raise_surface(float* __restrict__ surface, const float* __restrict__ east,
                  const float* __restrict__ north, const float* __restrict__ depth, float time) {
  const auto i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const int x = i % kWide, y = i / kWide;
  if (y == 0) {
    surface[i] = swell_at(x, time);
    return;
  }
  const float deep = depth[i];
  if (deep <= 0) return;
  float flow = east[i] * (x < kWide - 1 ? 0.5F * (deep + depth[i + 1]) : 0);
  if (x > 0) flow -= east[i - 1] * 0.5F * (deep + depth[i - 1]);
  flow += north[i] * (y < kHigh - 1 ? 0.5F * (deep + depth[i + kWide]) : 0);
  flow -= north[i - kWide] * 0.5F * (deep + depth[i - kWide]);
  surface[i] -= kTimeStep * flow;
}

// A ship is a mass on a spring that the water lifts, and pulls its lines. Ships are slower than waves, so
// they move after each fourth step.
__global__ void __launch_bounds__(kThreads)
    move_ships(Ship* __restrict__ ships, const float* __restrict__ surface, const float* __restrict__ east) {
  const auto i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  Ship ship = ships[i];
  const int at = ship.berth;
  const float lift = 0.25F * (surface[at] + surface[at + 1] + surface[at + kWide] + surface[at + kWide + 1]);
  ship.speed += 0.02F * (lift - ship.heave) - 0.01F * ship.speed;
  ship.heave += 0.5F * ship.speed;
  const float pull = fabsf(ship.heave - lift) + fabsf(east[at]);
  ship.strain += 0.01F * (pull - ship.strain);
  ships[i] = ship;
}

// The part of each tone in the surface at a station. A thread has a tone of a station.
__global__ void __launch_bounds__(kThreads)
    listen(float2* __restrict__ spectra, const int* __restrict__ stations, const float* __restrict__ surface,
           float time) {
  const auto i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const float height = surface[stations[i / kTones]];
  const float turn = time * 0.03F * static_cast<float>(i % kTones + 1);
  float2 part = spectra[i];
  part.x = 0.999F * part.x + 0.001F * height * __cosf(turn);
  part.y = 0.999F * part.y + 0.001F * height * __sinf(turn);
  spectra[i] = part;
}

// Moles and quays have the depth 0; it is shallower near the town in the north.
__device__ float depth_at(int x, int y) {
  const bool mole = y > 300 && y < 316 && (x < 800 || x > 1100);
  const bool quay = y > 600 && x % 256 > 200 && x % 256 < 232;
  if (mole || quay) return 0;
  return 0.9F - 0.5F * static_cast<float>(y) / kHigh +
         0.05F * __sinf(0.013F * static_cast<float>(x)) * __cosf(0.017F * static_cast<float>(y));
}

__global__ void __launch_bounds__(kThreads) build_harbour(Water water) {
  const auto i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  water.depth[i] = depth_at(i % kWide, i / kWide);
  water.surface[i] = 0;
  water.east[i] = 0;
  water.north[i] = 0;
}

__global__ void __launch_bounds__(kThreads) berth_ships(Ship* ships, int* stations) {
  const auto i = static_cast<unsigned>(blockIdx.x * kThreads + threadIdx.x);
  const auto x = static_cast<int>(mixed_bits(i) % (kWide - 1));
  const auto y = static_cast<int>(mixed_bits(i + 77777) % (kHigh - 2)) + 1;
  ships[i] = {0, 0, 0, y * kWide + x};
  if (i < kStations) stations[i] = y * kWide + (x + 900) % kWide;
}

// What follows each launch.
struct Checked {
  void operator()() const {
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());  // fault
  }
};

struct Launched {
  void operator()() const { CHECK(cudaGetLastError()); }
};

template <class After>
void step(Harbour& harbour, After after) {
  const Water& water = harbour.water;
  const float time = kTimeStep * static_cast<float>(harbour.step++);
  push_water<<<kBlocks, kThreads>>>(water.east, water.north, water.surface, water.depth);
  after();  // fault
  raise_surface<<<kBlocks, kThreads>>>(water.surface, water.east, water.north, water.depth, time);
  after();  // fault
  if (harbour.step % kStepsOfShips != 0) return;
  move_ships<<<kShips / kThreads, kThreads>>>(harbour.ships, water.surface, water.east);
  after();  // fault
  listen<<<kStations * kTones / kThreads, kThreads>>>(harbour.spectra, harbour.stations, water.surface, time);
  after();  // fault
}

double strain_and_height(const Harbour& harbour) {
  Ship* ships = pinned_array<Ship>(kShips);
  CHECK(cudaMemcpy(ships, harbour.ships, kShips * sizeof(Ship), cudaMemcpyDeviceToHost));
  double sum = 0;
  for (int i = 0; i < kShips; ++i) sum += ships[i].strain + std::abs(ships[i].heave);
  CHECK(cudaFreeHost(ships));
  float2* spectra = pinned_array<float2>(kStations * kTones);
  CHECK(cudaMemcpy(spectra, harbour.spectra, kStations * kTones * sizeof(float2), cudaMemcpyDeviceToHost));
  for (int i = 0; i < kStations * kTones; ++i) sum += std::hypot(spectra[i].x, spectra[i].y);
  CHECK(cudaFreeHost(spectra));
  return sum;
}

template <class After>
Case make() {
  const auto harbour = std::make_shared<Harbour>();
  Water& water = harbour->water;
  for (float** field : {&water.surface, &water.east, &water.north, &water.depth})
    *field = device_array<float>(kCells);
  build_harbour<<<kBlocks, kThreads>>>(water);
  harbour->ships = device_array<Ship>(kShips);
  harbour->stations = device_array<int>(kStations);
  berth_ships<<<kShips / kThreads, kThreads>>>(harbour->ships, harbour->stations);
  harbour->spectra = device_array<float2>(kStations * kTones);
  CHECK(cudaMemset(harbour->spectra, 0, kStations * kTones * sizeof(float2)));
  const auto round = [=] {
    for (int i = 0; i < kSteps; ++i) step(*harbour, After{});
  };
  return {round, [=] { return strain_and_height(*harbour); }, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, make<Checked>, make<Launched>);
}
