// Docks a molecule of 24 atoms at a protein of 2048 atoms: 67,584 searches turn and move it by chance, and
// keep what binds better, or by chance what binds worse. Neighbouring searches at different temperatures
// exchange their poses now and then, and the best poses are counted by where they lie. Two tries a round.
// Nothing is at fault. A thread has a search, and all of its numbers lie in registers; all lanes read the
// same atom of the protein at once, from constant memory, and use it for four atoms of the molecule. The
// pattern is that of uw-ipd/tmol, pull request 246, and UoB-HPC/miniBUDE (src/cuda): poses scored
// together, 2.2 times as fast.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kProtein = 2048, kMolecule = 24, kTogether = 4, kThreads = 128, kBlocks = 132 * 4;
constexpr int kSearches = kBlocks * kThreads, kTries = 2, kExchangeEvery = 4, kCountEvery = 16,
              kRounds = 1400;
constexpr int kCells = 16, kRungs = 8;
constexpr float kBox = 24;

__constant__ float4 c_protein[kProtein];    // places and charges
__constant__ float4 c_molecule[kMolecule];  // around its middle

// A place and a unit quaternion.
struct Pose {
  float4 place, turn;
};

// Of all searches; the energy is in place.w.
struct Searches {
  float4 *places, *turns;
};

__device__ int own_search() {
  return static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
}

__device__ float4 turned(float4 atom, float4 by) {
  const float x = 2 * (by.y * atom.z - by.z * atom.y), y = 2 * (by.z * atom.x - by.x * atom.z),
              z = 2 * (by.x * atom.y - by.y * atom.x);
  return make_float4(atom.x + by.w * x + by.y * z - by.z * y, atom.y + by.w * y + by.z * x - by.x * z,
                     atom.z + by.w * z + by.x * y - by.y * x, atom.w);
}

// Charges, and a soft shell around each atom.
__device__ float energy_of(const Pose& pose) {
  float energy = 0;
  for (int first = 0; first < kMolecule; first += kTogether) {
    float4 own[kTogether];
#pragma unroll
    for (int i = 0; i < kTogether; ++i) {
      const float4 atom = turned(c_molecule[first + i], pose.turn);
      own[i] = make_float4(atom.x + pose.place.x, atom.y + pose.place.y, atom.z + pose.place.z, atom.w);
    }
#pragma unroll 4
    for (int j = 0; j < kProtein; ++j) {
      const float4 other = c_protein[j];
#pragma unroll
      for (int i = 0; i < kTogether; ++i) {
        const float x = own[i].x - other.x, y = own[i].y - other.y, z = own[i].z - other.z;
        const float near = rsqrtf(x * x + y * y + z * z + 0.5F), square = near * near;
        const float sixth = 20 * square * square * square;
        energy += own[i].w * other.w * square + sixth * (sixth - 0.05F);
      }
    }
  }
  return energy;
}

// What changes, from -1 to 1, for the try and the number.
__device__ float chance(unsigned number, int which) {
  return 2 * mixed_fraction(number * 8 + static_cast<unsigned>(which)) - 1;
}

__device__ Pose moved(const Pose& pose, unsigned number) {
  const auto inside = [](float at) { return fminf(fmaxf(at, -kBox), kBox); };
  const float4 place = pose.place, turn = pose.turn;
  const float x = turn.x + 0.2F * chance(number, 0), y = turn.y + 0.2F * chance(number, 1),
              z = turn.z + 0.2F * chance(number, 2), w = turn.w + 0.2F * chance(number, 3);
  const float length = rsqrtf(x * x + y * y + z * z + w * w + 1e-6F);
  return {make_float4(inside(place.x + chance(number, 4)), inside(place.y + chance(number, 5)),
                      inside(place.z + chance(number, 6)), 0),
          make_float4(x * length, y * length, z * length, w * length)};
}

__device__ float temperature_of(int search) {
  return 0.2F * static_cast<float>(1 + search % kRungs);
}

__global__ void __launch_bounds__(kThreads) try_poses(Searches searches, unsigned round) {
  const int search = own_search();
  Pose pose = {searches.places[search], searches.turns[search]};
  for (unsigned i = 0; i < kTries; ++i) {
    const unsigned number = (round * kTries + i) * kSearches + static_cast<unsigned>(search);
    Pose next = moved(pose, number);
    next.place.w = energy_of(next);
    const float likely = __expf((pose.place.w - next.place.w) / temperature_of(search));
    if (mixed_fraction(~number) < likely) pose = next;
  }
  searches.places[search] = pose.place;
  searches.turns[search] = pose.turn;
}

// Pairs of neighbouring temperatures; a thread has a pair. Turns of both go with their places.
__global__ void __launch_bounds__(kThreads)
    exchange(float4* __restrict__ places, float4* __restrict__ turns, int odd, unsigned round) {
  const int cold = own_search() * 2 + odd, hot = cold + 1;
  if (hot >= kSearches || cold % kRungs == kRungs - 1) return;
  const float4 one = places[cold], other = places[hot];
  const float likely = __expf((one.w - other.w) * (1 / temperature_of(cold) - 1 / temperature_of(hot)));
  if (mixed_fraction(round * kSearches + static_cast<unsigned>(cold)) >= likely) return;
  const float4 first = turns[cold], second = turns[hot];
  places[cold] = other;
  places[hot] = one;
  turns[cold] = second;
  turns[hot] = first;
}

// How many of the coldest searches lie in each cell of the box, and how well they bind.
__global__ void __launch_bounds__(kThreads)
    count_places(unsigned* counts, float* __restrict__ energies, const float4* __restrict__ places) {
  const int search = own_search();
  const float4 place = places[search];
  energies[search] += fminf(place.w, 100);
  if (search % kRungs != 0) return;
  const auto cell = [](float at) {
    return min(static_cast<int>((at + kBox) * (kCells / (2 * kBox))), kCells - 1);
  };
  atomicAdd(counts + (cell(place.z) * kCells + cell(place.y)) * kCells + cell(place.x), 1U);
}

__global__ void __launch_bounds__(kThreads) begin(Searches searches) {
  const auto search = static_cast<unsigned>(own_search());
  searches.places[search] =
      make_float4(kBox * chance(~search, 0), kBox * chance(~search, 1), kBox * chance(~search, 2), 1e6F);
  searches.turns[search] = make_float4(0, 0, 0, 1);
}

// The protein is a ball with a pocket; charges add up to nothing.
void build_molecules() {
  static float4 protein[kProtein], molecule[kMolecule];
  const auto place = [](unsigned i, float radius) {
    const float cosine = 2 * mixed_fraction(i * 4) - 1, angle = 6.2831853F * mixed_fraction(i * 4 + 1);
    const float far = radius * std::cbrt(mixed_fraction(i * 4 + 2)), sine = std::sqrt(1 - cosine * cosine);
    return make_float4(far * sine * std::cos(angle), far * sine * std::sin(angle), far * cosine,
                       i % 2 == 0 ? 0.3F : -0.3F);
  };
  for (unsigned i = 0, number = 0; i < kProtein; ++number) {
    const float4 atom = place(number, 18);
    const bool pocket = atom.x > 4 && atom.y * atom.y + atom.z * atom.z < 49;
    if (!pocket) protein[i++] = atom;
  }
  for (unsigned i = 0; i < kMolecule; ++i) molecule[i] = place(i + 1000000, 3);
  CHECK(cudaMemcpyToSymbol(c_protein, protein, sizeof protein));
  CHECK(cudaMemcpyToSymbol(c_molecule, molecule, sizeof molecule));
}

struct Docking {
  Searches searches;
  unsigned *counts, round;
  float* energies;
};

void dock(Docking& docking) {
  const Searches& searches = docking.searches;
  const unsigned round = docking.round++;
  try_poses<<<kBlocks, kThreads>>>(searches, round);
  if (round % kExchangeEvery == 0)
    exchange<<<kBlocks / 2, kThreads>>>(searches.places, searches.turns,
                                        static_cast<int>(round / kExchangeEvery % 2), round);
  if (round % kCountEvery == 0)
    count_places<<<kBlocks, kThreads>>>(docking.counts, docking.energies, searches.places);
}

Case make() {
  constexpr int kBins = kCells * kCells * kCells;
  build_molecules();
  const auto docking = std::make_shared<Docking>();
  *docking = {{device_array<float4>(kSearches), device_array<float4>(kSearches)},
              device_array<unsigned>(kBins),
              0,
              device_array<float>(kSearches)};
  CHECK(cudaMemset(docking->counts, 0, kBins * sizeof(unsigned)));
  CHECK(cudaMemset(docking->energies, 0, kSearches * sizeof(float)));
  begin<<<kBlocks, kThreads>>>(docking->searches);
  CHECK(cudaGetLastError());
  return {[=] { dock(*docking); },
          [=] {
            unsigned* host = pinned_array<unsigned>(kBins);
            CHECK(cudaMemcpy(host, docking->counts, kBins * sizeof(unsigned), cudaMemcpyDeviceToHost));
            double sum = 0;
            for (int i = 0; i < kBins; ++i) sum += static_cast<double>(host[i]) * (i % 97);
            CHECK(cudaFreeHost(host));
            return sum - device_sum(docking->energies, kSearches);
          },
          kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, nullptr, [] { return make(); });
}
