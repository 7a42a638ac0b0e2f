// Moves 8192 atoms by forces that a small network finds from their distances to 128 listed neighbours. The
// host makes new lists every 120 steps, a row an atom, and sends them beside the steps before.
// At fault: each row of 512 bytes is copied by itself, 8192 copies an update. The pattern is that of
// deepmodeling/deepmd-kit, pull request 414: rows are put together on the host and copied once.
#include <array>
#include <memory>
#include <vector>

#include "../case.cuh"

namespace {

constexpr int kAtoms = 8192, kListed = 128, kSteps = 120, kHidden = 64, kRounds = 300;
constexpr int kThreads = 256, kWarps = kThreads / 32, kBlocks = kAtoms / kWarps;
constexpr std::size_t kRowBytes = kListed * sizeof(int), kLists = std::size_t{kAtoms} * kListed;

struct Network {
  float scale[kHidden], shift[kHidden], out[kHidden];
};

__constant__ Network network;

__device__ float strength_at(float square) {
  const float near = rsqrtf(square + 0.1F);
  float sum = 0;
#pragma unroll 8
  for (int i = 0; i < kHidden; ++i) {
    const float inside = network.scale[i] * near + network.shift[i];
    sum += network.out[i] * __fdividef(inside, 1 + fabsf(inside));
  }
  return sum;
}

// A warp takes an atom, and its lanes the neighbours; the fourth word is the atom's place of rest.
__global__ void __launch_bounds__(kThreads)
    step_forward(float4* after, const float4* __restrict__ before, const int* lists) {
  const int atom = static_cast<int>(blockIdx.x * kWarps + threadIdx.x / 32);
  const int lane = static_cast<int>(threadIdx.x % 32);
  const float4 own = before[atom];
  float x = 0, y = 0, z = 0;
#pragma unroll
  for (int i = lane; i < kListed; i += 32) {
    const float4 other = before[lists[atom * kListed + i]];
    const float across = own.x - other.x, down = own.y - other.y, deep = own.z - other.z;
    const float strength = strength_at(across * across + down * down + deep * deep);
    x += strength * across;
    y += strength * down;
    z += strength * deep;
  }
#pragma unroll
  for (int far = 16; far > 0; far /= 2) {
    x += __shfl_xor_sync(0xffffffffU, x, far);
    y += __shfl_xor_sync(0xffffffffU, y, far);
    z += __shfl_xor_sync(0xffffffffU, z, far);
  }
  if (lane != 0) return;
  const float rate = 0.02F, pull = 0.5F;
  after[atom] = make_float4(own.x + rate * (x / kListed + pull * (own.w - own.x)),
                            own.y + rate * (y / kListed + pull * (own.w - own.y)),
                            own.z + rate * (z / kListed + pull * (own.w - own.z)), own.w);
}

__global__ void place_atoms(float4* atoms) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const float rest = 1 + mixed_fraction(i);
  const auto near = [=](unsigned axis) { return rest + 0.2F * mixed_fraction(3 * i + axis + 99); };
  atoms[i] = make_float4(near(0), near(1), near(2), rest);
}

// Rows of the host are where the maker of the lists has put them.
using Rows = std::vector<int*>;

struct Workplace {
  Rows rows;
  std::array<int*, 2> lists, packed;
  std::array<float4*, 2> atoms;
  std::array<cudaEvent_t, 2> sent, stepped;
  cudaStream_t compute, copy;
};

// Neighbours are near one another in the order of the atoms.
int neighbour_of(int atom, int i, unsigned update) {
  const auto seed = static_cast<unsigned>(atom * kListed + i) + update * 977;
  return (atom - kListed + 2 * i + static_cast<int>(mixed_bits(seed) % 2) + kAtoms) % kAtoms;
}

// Some neighbours of each atom are others than before.
void change_rows(const Rows& rows, unsigned update) {
  const int i = static_cast<int>(update % kListed);
  for (int atom = 0; atom < kAtoms; ++atom) rows[atom][i] = neighbour_of(atom, i, update);
}

void send_rows(int* lists, const Rows& rows, cudaStream_t stream) {
  for (int atom = 0; atom < kAtoms; ++atom) {
    int* own = lists + atom * kListed;
    CHECK(cudaMemcpyAsync(own, rows[atom], kRowBytes, cudaMemcpyHostToDevice, stream));  // fault
  }
}

void send_packed(int* lists, int* packed, const Rows& rows, cudaStream_t stream) {
  for (int atom = 0; atom < kAtoms; ++atom) std::memcpy(packed + atom * kListed, rows[atom], kRowBytes);
  CHECK(cudaMemcpyAsync(lists, packed, kLists * sizeof(int), cudaMemcpyHostToDevice, stream));
}

cudaEvent_t made_event() {
  cudaEvent_t event = nullptr;
  CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  return event;
}

void choose_network() {
  Network chosen{};
  for (unsigned i = 0; i < kHidden; ++i) {
    chosen.scale[i] = 1 + mixed_fraction(i);
    chosen.shift[i] = mixed_fraction(i + 100) - 0.5F;
    chosen.out[i] = (mixed_fraction(i + 200) - 0.3F) / kHidden;
  }
  CHECK(cudaMemcpyToSymbol(network, &chosen, sizeof(Network)));
}

Workplace made_workplace() {
  Workplace work{};
  auto* pages = pinned_array<int>(2 * kLists);
  for (int atom = 0; atom < kAtoms; ++atom) {
    work.rows.push_back(pages + std::size_t{2} * atom * kListed);
    for (int i = 0; i < kListed; ++i) work.rows[atom][i] = neighbour_of(atom, i, 0);
  }
  for (int side = 0; side < 2; ++side) {
    work.lists[side] = device_array<int>(kLists);
    work.packed[side] = pinned_array<int>(kLists);
    work.atoms[side] = device_array<float4>(kAtoms);
    work.sent[side] = made_event();
    work.stepped[side] = made_event();
  }
  place_atoms<<<kAtoms / kThreads, kThreads>>>(work.atoms[0]);
  CHECK(cudaGetLastError());
  choose_network();
  CHECK(cudaStreamCreateWithFlags(&work.compute, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&work.copy, cudaStreamNonBlocking));
  CHECK(cudaDeviceSynchronize());
  return work;
}

Case make(bool by_row) {
  const Workplace work = made_workplace();
  auto update = std::make_shared<unsigned>(0);
  return {[=] {
            const unsigned side = *update % 2;
            CHECK(cudaEventSynchronize(work.sent[1 - side]));
            change_rows(work.rows, (*update)++);
            // The steps of the update before the last have read these lists.
            CHECK(cudaStreamWaitEvent(work.copy, work.stepped[side]));
            if (by_row) {
              send_rows(work.lists[side], work.rows, work.copy);
            } else {
              send_packed(work.lists[side], work.packed[side], work.rows, work.copy);
            }
            CHECK(cudaEventRecord(work.sent[side], work.copy));
            CHECK(cudaStreamWaitEvent(work.compute, work.sent[side]));
            for (int step = 0; step < kSteps; ++step) {
              float4 *before = work.atoms[step % 2], *after = work.atoms[1 - step % 2];
              step_forward<<<kBlocks, kThreads, 0, work.compute>>>(after, before, work.lists[side]);
            }
            CHECK(cudaEventRecord(work.stepped[side], work.compute));
          },
          [=] {
            CHECK(cudaDeviceSynchronize());
            return device_sum(reinterpret_cast<float*>(work.atoms[0]), std::size_t{4} * kAtoms);
          },
          kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
