// Follows 2.1 million pieces of debris around the Earth, and looks for those that come near to eight
// satellites, which are pieces of the catalogue, too. Pieces fall around the Earth, whose bulge bends their
// ways, and thin air slows them; how many there are at which height is counted, and each 16 steps the air's
// pull is found anew. A step of ten seconds a round.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kPieces = 1 << 21, kWatched = 8, kApart = kPieces / kWatched, kThreads = 256;
constexpr int kBlocks = kPieces / kThreads, kWatchBlocks = 132 * 4, kPullEvery = 16, kRounds = 34000;
constexpr float kStep = 10, kEarth = 6378.137F, kGravity = 398600.44F, kBulge = 1.08263e-3F;
constexpr unsigned kMask = 0xffffffffU;

// What the catalogue says of a piece: which it is and whose, where it is in kilometres, how fast in
// kilometres a second, and what else was learned of it.
struct Piece {
  unsigned number, owner;
  float x, y, z, speed_x, speed_y, speed_z;
  float mass, area, pull, size, brightness, spin;
  unsigned seen, kind;
};

struct Motion {
  float3 place, speed;
};

struct Bulk {
  float mass, area;
};

struct PieceCatalogue {
  Piece* pieces;

  __device__ void enter(int i, const Piece& piece) const { pieces[i] = piece; }
  __device__ float3 place(int i) const {
    const Piece& piece = pieces[i];
    return make_float3(piece.x, piece.y, piece.z);  // fault
  }
  __device__ float3 speed(int i) const {
    const Piece& piece = pieces[i];
    return make_float3(piece.speed_x, piece.speed_y, piece.speed_z);  // fault
  }
  __device__ float pull(int i) const { return pieces[i].pull; }                   // fault
  __device__ float size(int i) const { return pieces[i].size; }                   // fault
  __device__ Bulk bulk(int i) const { return {pieces[i].mass, pieces[i].area}; }  // fault
  __device__ void set_pull(int i, float pull) const { pieces[i].pull = pull; }    // fault
  __device__ void set_motion(int i, const Motion& motion) const {
    Piece& piece = pieces[i];
    piece.x = motion.place.x;        // fault
    piece.y = motion.place.y;        // fault
    piece.z = motion.place.z;        // fault
    piece.speed_x = motion.speed.x;  // fault
    piece.speed_y = motion.speed.y;  // fault
    piece.speed_z = motion.speed.z;  // fault
  }
};

struct ColumnCatalogue {
  float *x, *y, *z, *speed_x, *speed_y, *speed_z, *masses, *areas, *pulls, *sizes;

  __device__ void enter(int i, const Piece& piece) const {
    set_motion(i, {make_float3(piece.x, piece.y, piece.z),
                   make_float3(piece.speed_x, piece.speed_y, piece.speed_z)});
    masses[i] = piece.mass;
    areas[i] = piece.area;
    sizes[i] = piece.size;
  }
  __device__ float3 place(int i) const { return make_float3(x[i], y[i], z[i]); }
  __device__ float3 speed(int i) const { return make_float3(speed_x[i], speed_y[i], speed_z[i]); }
  __device__ float pull(int i) const { return pulls[i]; }
  __device__ float size(int i) const { return sizes[i]; }
  __device__ Bulk bulk(int i) const { return {masses[i], areas[i]}; }
  __device__ void set_pull(int i, float pull) const { pulls[i] = pull; }
  __device__ void set_motion(int i, const Motion& motion) const {
    x[i] = motion.place.x;
    y[i] = motion.place.y;
    z[i] = motion.place.z;
    speed_x[i] = motion.speed.x;
    speed_y[i] = motion.speed.y;
    speed_z[i] = motion.speed.z;
  }
};

__device__ float square(float3 a) {
  return a.x * a.x + a.y * a.y + a.z * a.z;
}

// How a piece is pulled by the Earth and its bulge, and slowed by air.
__device__ float3 push(float3 place, float3 speed, float pull) {
  const float inverse = rsqrtf(square(place)), squared = inverse * inverse;
  const float bulge = 1.5F * kBulge * kEarth * kEarth * squared, tilt = 5 * place.z * place.z * squared;
  const float fall = -kGravity * inverse * squared, even = fall * (1 + bulge * (1 - tilt));
  return make_float3(even * place.x - pull * speed.x, even * place.y - pull * speed.y,
                     fall * (1 + bulge * (3 - tilt)) * place.z - pull * speed.z);
}

template <class Catalogue>
__global__ void __launch_bounds__(kThreads) move(Catalogue catalogue) {
  const auto i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  Motion own = {catalogue.place(i), catalogue.speed(i)};
  const float pull = catalogue.pull(i), half = 0.5F * kStep;
  own.place = make_float3(own.place.x + half * own.speed.x, own.place.y + half * own.speed.y,
                          own.place.z + half * own.speed.z);
  const float3 pushed = push(own.place, own.speed, pull);
  own.speed = make_float3(own.speed.x + kStep * pushed.x, own.speed.y + kStep * pushed.y,
                          own.speed.z + kStep * pushed.z);
  own.place = make_float3(own.place.x + half * own.speed.x, own.place.y + half * own.speed.y,
                          own.place.z + half * own.speed.z);
  catalogue.set_motion(i, own);
}

// How near pieces come to each satellite, less their size.
template <class Catalogue>
__global__ void __launch_bounds__(kThreads) watch(float* __restrict__ nearest, Catalogue catalogue) {
  __shared__ float3 watched[kWatched];
  __shared__ float warps[kThreads / 32][kWatched];
  const auto thread = static_cast<int>(threadIdx.x);
  if (thread < kWatched) watched[thread] = catalogue.place(thread * kApart);
  __syncthreads();
  float least[kWatched];
#pragma unroll
  for (float& one : least) one = 1e9F;
#pragma unroll 2
  for (int i = static_cast<int>(blockIdx.x) * kThreads + thread; i < kPieces; i += kWatchBlocks * kThreads) {
    const float3 place = catalogue.place(i);
    const float size = catalogue.size(i);
#pragma unroll
    for (int k = 0; k < kWatched; ++k) {
      const float3 there = watched[k];
      const float gap = square(make_float3(place.x - there.x, place.y - there.y, place.z - there.z)) - size;
      least[k] = fminf(least[k], i == k * kApart ? 1e9F : gap);
    }
  }
#pragma unroll
  for (int k = 0; k < kWatched; ++k) {
    for (int far = 16; far > 0; far /= 2) least[k] = fminf(least[k], __shfl_xor_sync(kMask, least[k], far));
    if (thread % 32 == 0) warps[thread / 32][k] = least[k];
  }
  __syncthreads();
  if (thread >= kWatched) return;
  float found = warps[0][thread];
  for (const auto& warp : warps) found = fminf(found, warp[thread]);
  nearest[thread * kWatchBlocks + static_cast<int>(blockIdx.x)] = found;
}

// A warp has a satellite. `totals` are over all steps.
__global__ void __launch_bounds__(kWatched * 32)
    report(double* __restrict__ totals, const float* __restrict__ nearest) {
  const auto lane = static_cast<int>(threadIdx.x % 32), own = static_cast<int>(threadIdx.x / 32);
  float least = 1e9F;
#pragma unroll 4
  for (int i = lane; i < kWatchBlocks; i += 32) least = fminf(least, nearest[own * kWatchBlocks + i]);
  for (int far = 16; far > 0; far /= 2) least = fminf(least, __shfl_xor_sync(kMask, least, far));
  if (lane == 0) totals[own] += static_cast<double>(sqrtf(fmaxf(least, 0)));
}

// Air is thinner higher up, and swells when the sun is active.
template <class Catalogue>
__global__ void __launch_bounds__(kThreads) find_pull(Catalogue catalogue, float activity) {
  const auto i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const float height = sqrtf(square(catalogue.place(i))) - kEarth;
  const Bulk bulk = catalogue.bulk(i);
  catalogue.set_pull(i, 1e-9F * bulk.area / bulk.mass * __expf((400 - height) / (60 + 20 * activity)));
}

// Nearly round ways of all tilts, 500 to 2000 kilometres up.
__device__ Piece found_piece(unsigned i) {
  const float far = kEarth + 500 + 1500 * mixed_fraction(i),
              turn = 6.2831853F * mixed_fraction(i + 0x1000193U),
              tilt = 3.1415927F * mixed_fraction(i + 0x2000327U);
  const float fast = sqrtf(kGravity / far) * (0.995F + 0.01F * mixed_fraction(~i));
  const float c = __cosf(turn), s = __sinf(turn), level = __cosf(tilt), steep = __sinf(tilt);
  Piece piece{};
  piece.number = i;
  piece.x = far * c;
  piece.y = far * s * level;
  piece.z = far * s * steep;
  piece.speed_x = -fast * s;
  piece.speed_y = fast * c * level;
  piece.speed_z = fast * c * steep;
  piece.mass = 0.1F + 10 * mixed_fraction(i + 0x4000007U);
  piece.area = 0.01F + mixed_fraction(i + 0x5000011U);
  piece.size = 1e-4F * mixed_fraction(i + 0x6000013U);
  return piece;
}

template <class Catalogue>
__global__ void __launch_bounds__(kThreads) enter(Catalogue catalogue) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  catalogue.enter(static_cast<int>(i), found_piece(i));
}

struct Watch {
  float* nearest;
  double* totals;
  int step;
};

template <class Catalogue>
void take_step(const Catalogue& catalogue, Watch& state) {
  const float activity = 0.5F + 0.5F * std::sin(1e-3F * static_cast<float>(state.step));
  if (state.step++ % kPullEvery == 0) find_pull<<<kBlocks, kThreads>>>(catalogue, activity);
  move<<<kBlocks, kThreads>>>(catalogue);
  watch<<<kWatchBlocks, kThreads>>>(state.nearest, catalogue);
  report<<<1, kWatched * 32>>>(state.totals, state.nearest);
}

template <class Catalogue>
Case make(Catalogue catalogue) {
  const auto state = std::make_shared<Watch>();
  *state = {device_array<float>(std::size_t{kWatched} * kWatchBlocks), device_array<double>(kWatched), 0};
  CHECK(cudaMemset(state->totals, 0, kWatched * sizeof(double)));
  enter<<<kBlocks, kThreads>>>(catalogue);
  CHECK(cudaGetLastError());
  return {[=] { take_step(catalogue, *state); }, [=] { return device_sum(state->totals, kWatched); },
          kRounds};
}

ColumnCatalogue new_columns() {
  ColumnCatalogue columns{};
  for (float** column : {&columns.x, &columns.y, &columns.z, &columns.speed_x, &columns.speed_y,
                         &columns.speed_z, &columns.masses, &columns.areas, &columns.pulls, &columns.sizes})
    *column = device_array<float>(kPieces);
  return columns;
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(PieceCatalogue{device_array<Piece>(kPieces)}); },
      [] { return make(new_columns()); });
}
