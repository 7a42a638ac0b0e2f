// Electric and magnetic fields on 256 x 256 x 256 cells, by differences of eighth order, with a source in
// the middle and layers at the sides that absorb waves.
// At fault: a thread keeps its neighbours' values in an array, and finds their places there by the order of
// the axes, which is known at run time only; so the array is in local memory. The pattern is that of
// ComputationalRadiationPhysics/picongpu, pull request 3881 and issue 3870: no stack frame of 336 bytes in
// the update of fields any more.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kEdge = 256, kAxes = 3, kReach = 4, kLine = 2 * kReach, kLayer = 24, kRounds = 900;
constexpr int kAcross = 64, kThreads = 256;
constexpr std::size_t kCells = std::size_t{kEdge} * kEdge * kEdge;
constexpr float kStep = 0.3F;

struct Field {
  float* at[kAxes];
};

struct Order {
  int at[kAxes];
};

struct Cell {
  int x, y, z;
};

__device__ int place_of(const Cell& cell) {
  return (cell.z * kEdge + cell.y) * kEdge + cell.x;
}

// Along an axis; what leaves at one side comes in at the other.
__device__ int place_beside(const Cell& cell, int axis, int steps) {
  return place_of({(cell.x + (axis == 0 ? steps : 0)) & (kEdge - 1),
                   (cell.y + (axis == 1 ? steps : 0)) & (kEdge - 1),
                   (cell.z + (axis == 2 ? steps : 0)) & (kEdge - 1)});
}

// Between the fourth and the fifth value.
__device__ float slope(const float (&line)[kLine]) {
  constexpr float kWeights[kReach] = {1.1962890625F, -0.0797526042F, 0.0095703125F, -0.0006975446F};
  float sum = 0;
#pragma unroll
  for (int i = 0; i < kReach; ++i) sum += kWeights[i] * (line[kReach + i] - line[kReach - 1 - i]);  // fault
  return sum;
}

// What is left of a field after a step: less towards the sides.
__device__ float kept(const Cell& cell) {
  const auto depth = [](int i) {
    return static_cast<float>(max(0, kLayer - min(i, kEdge - 1 - i))) / kLayer;
  };
  const float x = depth(cell.x), y = depth(cell.y), z = depth(cell.z);
  return __expf(-0.3F * (x * x + y * y + z * z));
}

__device__ float source(const Cell& cell, float phase) {
  const auto inside = [](int i) { return abs(i - kEdge / 2) < 8; };
  return inside(cell.x) && inside(cell.y) && inside(cell.z) ? 0.1F * __sinf(phase) : 0;
}

__device__ Cell own_cell() {
  return {static_cast<int>(blockIdx.x * kAcross + threadIdx.x),
          static_cast<int>(blockIdx.y * (kThreads / kAcross) + threadIdx.y), static_cast<int>(blockIdx.z)};
}

// Adds the rotation of the one field to the other.
__device__ void add_rotation(const Field& field, const float (&lines)[kAxes][kAxes][kLine], const Cell& cell,
                             float step, float phase) {
  const int own = place_of(cell);
  const float factor = kept(cell);
#pragma unroll
  for (int i = 0; i < kAxes; ++i) {
    const int next = (i + 1) % kAxes, last = (i + 2) % kAxes;
    const float rotation = slope(lines[last][next]) - slope(lines[next][last]);
    const float added = step * rotation + (i == 2 ? source(cell, phase) : 0);
    field.at[i][own] = factor * (field.at[i][own] + added);
  }
}

template <int kFirst>
__global__ void __launch_bounds__(kThreads)
    advance_in_order(Field field, Field other, Order order, float step, float phase) {
  const Cell cell = own_cell();
  float lines[kAxes][kAxes][kLine];
#pragma unroll
  for (int i = 0; i < kAxes; ++i) {
    const int axis = order.at[i];
#pragma unroll
    for (int j = 1; j < kAxes; ++j) {
      const int part = order.at[(i + j) % kAxes];
#pragma unroll
      for (int k = 0; k < kLine; ++k) {
        lines[part][axis][k] = other.at[part][place_beside(cell, axis, kFirst + k)];  // fault
      }
    }
  }
  add_rotation(field, lines, cell, step, phase);
}

template <int kFirst>
__global__ void __launch_bounds__(kThreads) advance(Field field, Field other, float step, float phase) {
  const Cell cell = own_cell();
  float lines[kAxes][kAxes][kLine];
#pragma unroll
  for (int axis = 0; axis < kAxes; ++axis) {
#pragma unroll
    for (int j = 1; j < kAxes; ++j) {
      const int part = (axis + j) % kAxes;
#pragma unroll
      for (int k = 0; k < kLine; ++k) {
        lines[part][axis][k] = other.at[part][place_beside(cell, axis, kFirst + k)];
      }
    }
  }
  add_rotation(field, lines, cell, step, phase);
}

__global__ void find_energies(float* energies, Field electric, Field magnetic) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int axis = 0; axis < kAxes; ++axis) {
    const float one = electric.at[axis][i], other = magnetic.at[axis][i];
    sum += one * one + other * other;
  }
  energies[i] = sum;
}

Field made_field() {
  Field field{};
  for (float*& part : field.at) {
    part = device_array<float>(kCells);
    CHECK(cudaMemset(part, 0, kCells * sizeof(float)));
  }
  return field;
}

Case make(bool in_order) {
  const Field electric = made_field(), magnetic = made_field();
  auto number = std::make_shared<int>(0);
  const dim3 threads(kAcross, kThreads / kAcross), blocks(kEdge / threads.x, kEdge / threads.y, kEdge);
  return {[=] {
            const float phase = 0.2F * static_cast<float>((*number)++ % 1000);
            if (in_order) {
              const Order order{{0, 1, 2}};
              advance_in_order<-kReach><<<blocks, threads>>>(electric, magnetic, order, kStep, phase);
              advance_in_order<1 - kReach><<<blocks, threads>>>(magnetic, electric, order, -kStep, 0);
            } else {
              advance<-kReach><<<blocks, threads>>>(electric, magnetic, kStep, phase);
              advance<1 - kReach><<<blocks, threads>>>(magnetic, electric, -kStep, 0);
            }
          },
          [=] {
            auto* energies = device_array<float>(kCells);
            find_energies<<<kCells / kThreads, kThreads>>>(energies, electric, magnetic);
            CHECK(cudaGetLastError());
            return device_sum(energies, kCells);
          },
          kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
