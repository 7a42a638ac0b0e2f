// One step of a compressible gas on 8 million cells along rows of 512: fifth-order reconstruction of five
// waves and the fluxes between cells.
// At fault: bounds of the launch leave 32 registers a thread for more threads at once, so that variables go
// to local memory. The patterns are those of CliMA/ClimaCore.jl, issue 2380, where a limit of 32 registers
// slows down a simulation, and of NVlabs/cuda-oxide, pull request 798, on what such bounds cost.
#include "../case.cuh"

namespace {

constexpr int kRow = 512, kCells = 1 << 23, kVariables = 5, kThreads = 256, kMostThreads = 1024;
constexpr float kGamma = 1.4F;

// The value at the right side of the middle of five cells.
__device__ float reconstructed(float a, float b, float c, float d, float e) {
  const float left = (2 * a - 7 * b + 11 * c) / 6, middle = (-b + 5 * c + 2 * d) / 6;
  const float right = (2 * c + 5 * d - e) / 6;
  const float rough_left =
      13.0F / 12 * (a - 2 * b + c) * (a - 2 * b + c) + 0.25F * (a - 4 * b + 3 * c) * (a - 4 * b + 3 * c);
  const float rough_middle = 13.0F / 12 * (b - 2 * c + d) * (b - 2 * c + d) + 0.25F * (b - d) * (b - d);
  const float rough_right =
      13.0F / 12 * (c - 2 * d + e) * (c - 2 * d + e) + 0.25F * (3 * c - 4 * d + e) * (3 * c - 4 * d + e);
  const float share_left = __fdividef(0.1F, (1e-6F + rough_left) * (1e-6F + rough_left));
  const float share_middle = __fdividef(0.6F, (1e-6F + rough_middle) * (1e-6F + rough_middle));
  const float share_right = __fdividef(0.3F, (1e-6F + rough_right) * (1e-6F + rough_right));
  return __fdividef(share_left * left + share_middle * middle + share_right * right,
                    share_left + share_middle + share_right);
}

struct State {
  float density, along, across, up, energy;
};

__device__ float pressure_of(const State& state) {
  return (kGamma - 1) *
         (state.energy - 0.5F *
                             (state.along * state.along + state.across * state.across + state.up * state.up) /
                             state.density);
}

__device__ float product(const State& one, const State& other) {
  return one.density * other.density + one.along * other.along + one.across * other.across +
         one.up * other.up + one.energy * other.energy;
}

__device__ State mean(const State& one, const State& other) {
  return {0.5F * (one.density + other.density), 0.5F * (one.along + other.along),
          0.5F * (one.across + other.across), 0.5F * (one.up + other.up), 0.5F * (one.energy + other.energy)};
}

__device__ void add(State& sum, float factor, const State& wave) {
  sum.density += factor * wave.density;
  sum.along += factor * wave.along;
  sum.across += factor * wave.across;
  sum.up += factor * wave.up;
  sum.energy += factor * wave.energy;
}

// The part of one wave in the states at both sides between the third and the fourth of six cells.
__device__ void add_wave(State& left, State& right, const State* cells, const State& weights,
                         const State& wave) {
  float parts[6];
#pragma unroll
  for (int i = 0; i < 6; ++i) parts[i] = product(weights, cells[i]);  // fault
  add(left, reconstructed(parts[0], parts[1], parts[2], parts[3], parts[4]), wave);
  add(right, reconstructed(parts[5], parts[4], parts[3], parts[2], parts[1]), wave);
}

// In the five waves of the mean of the two cells.
__device__ void reconstruct(State& left, State& right, const State* cells) {
  const State middle = mean(cells[2], cells[3]);
  const float along = middle.along / middle.density, across = middle.across / middle.density;
  const float up = middle.up / middle.density, pressure = pressure_of(middle);
  const float sound = sqrtf(kGamma * pressure / middle.density);
  const float moving = 0.5F * (along * along + across * across + up * up);
  const float enthalpy = (middle.energy + pressure) / middle.density;
  const float one = (kGamma - 1) / (sound * sound), two = one * moving;
  add_wave(left, right, cells,
           {0.5F * (two + along / sound), -0.5F * (one * along + 1 / sound), -0.5F * one * across,
            -0.5F * one * up, 0.5F * one},
           {1, along - sound, across, up, enthalpy - along * sound});
  add_wave(left, right, cells, {1 - two, one * along, one * across, one * up, -one},
           {1, along, across, up, moving});
  add_wave(left, right, cells, {-across, 0, 1, 0, 0}, {0, 0, 1, 0, across});
  add_wave(left, right, cells, {-up, 0, 0, 1, 0}, {0, 0, 0, 1, up});
  add_wave(left, right, cells,
           {0.5F * (two - along / sound), -0.5F * (one * along - 1 / sound), -0.5F * one * across,
            -0.5F * one * up, 0.5F * one},
           {1, along + sound, across, up, enthalpy + along * sound});
}

// Rusanov's, between the third and the fourth of six cells.
__device__ State flux_of(const State* cells) {
  State left{}, right{};
  reconstruct(left, right, cells);
  const float left_pressure = pressure_of(left), right_pressure = pressure_of(right);
  const float left_speed = left.along / left.density, right_speed = right.along / right.density;
  const float fastest = fmaxf(fabsf(left_speed) + sqrtf(kGamma * left_pressure / left.density),
                              fabsf(right_speed) + sqrtf(kGamma * right_pressure / right.density));
  return {
      0.5F * (left.along + right.along - fastest * (right.density - left.density)),
      0.5F * (left.along * left_speed + left_pressure + right.along * right_speed + right_pressure -
              fastest * (right.along - left.along)),
      0.5F * (left.across * left_speed + right.across * right_speed - fastest * (right.across - left.across)),
      0.5F * (left.up * left_speed + right.up * right_speed - fastest * (right.up - left.up)),
      0.5F * ((left.energy + left_pressure) * left_speed + (right.energy + right_pressure) * right_speed -
              fastest * (right.energy - left.energy))};
}

// Variables lie kCells apart, cells side by side; rows go round.
__device__ void flow(float* fluxes, const float* gas) {
  const int cell = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int row = cell / kRow * kRow, place = cell % kRow;
  State cells[6];
#pragma unroll
  for (int i = 0; i < 6; ++i) {
    const float* own = gas + row + (place + i + kRow - 2) % kRow;
    cells[i] = {own[0], own[kCells], own[2 * kCells], own[3 * kCells], own[4 * kCells]};  // fault
  }
  const State flux = flux_of(cells);  // fault
  fluxes[cell] = flux.density;
  fluxes[kCells + cell] = flux.along;
  fluxes[2 * kCells + cell] = flux.across;
  fluxes[3 * kCells + cell] = flux.up;
  fluxes[4 * kCells + cell] = flux.energy;
}

__global__ void __launch_bounds__(kMostThreads, 2)
    flow_with_bounds(float* fluxes, const float* gas) {  // fault
  flow(fluxes, gas);                                     // fault
}

__global__ void __launch_bounds__(kThreads) flow_in_registers(float* fluxes, const float* gas) {
  flow(fluxes, gas);
}

__global__ void fill_gas(float* gas) {
  const int cell = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const auto seed = static_cast<unsigned>(cell);
  const float wave = __sinf(6.2831853F * static_cast<float>(cell % kRow) / kRow);
  gas[cell] = 1 + 0.2F * wave + 0.01F * mixed_fraction(seed);
  gas[kCells + cell] = 0.3F + 0.1F * wave;
  gas[2 * kCells + cell] = 0.1F * mixed_fraction(seed + 1);
  gas[3 * kCells + cell] = 0.1F * mixed_fraction(seed + 2);
  gas[4 * kCells + cell] = 2.5F + 0.3F * wave;
}

Case make(bool with_bounds) {
  auto* gas = device_array<float>(std::size_t{kVariables} * kCells);
  auto* fluxes = device_array<float>(std::size_t{kVariables} * kCells);
  fill_gas<<<kCells / kThreads, kThreads>>>(gas);
  return {[=] {
            if (with_bounds) {
              flow_with_bounds<<<kCells / kThreads, kThreads>>>(fluxes, gas);
            } else {
              flow_in_registers<<<kCells / kThreads, kThreads>>>(fluxes, gas);
            }
          },
          [=] { return device_sum(fluxes, std::size_t{kVariables} * kCells); }, 800};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
