// The pointwise part of a step of an LSTM: 16,384 sequences of 1024 cells, from the four gates to cell and
// output.
// Nothing is wrong: a thread takes 16 bytes of each array. After pytorch/pytorch,
// aten/src/ATen/native/cuda/RNN.cu, whose fused cell is this sum of gates and one pass.
#include "../case.cuh"

namespace {

constexpr int kSequences = 16384, kCells = 1024, kQuads = kCells / 4, kThreads = 256;
constexpr std::size_t kStates = std::size_t{kSequences} * kCells;

__device__ float4 sum(float4 a, float4 b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w};
}

__device__ float gate(float x) {
  return 1 / (1 + __expf(-x));
}

__device__ void advance(float& output, float& cell, float in, float forget, float value, float out) {
  cell = gate(forget) * cell + gate(in) * tanhf(value);
  output = gate(out) * tanhf(cell);
}

__global__ void advance_cells(float4* outputs, float4* cells, const float4* from_input,
                              const float4* from_output) {
  const int quad = static_cast<int>(threadIdx.x);
  const std::size_t state = std::size_t{blockIdx.x} * kQuads + threadIdx.x;
  float4 gates[4];
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const std::size_t at = (std::size_t{blockIdx.x} * 4 + static_cast<std::size_t>(k)) * kQuads;
    gates[k] = sum(from_input[at + static_cast<std::size_t>(quad)],
                   from_output[at + static_cast<std::size_t>(quad)]);
  }
  float4 cell = cells[state], output;
  advance(output.x, cell.x, gates[0].x, gates[1].x, gates[2].x, gates[3].x);
  advance(output.y, cell.y, gates[0].y, gates[1].y, gates[2].y, gates[3].y);
  advance(output.z, cell.z, gates[0].z, gates[1].z, gates[2].z, gates[3].z);
  advance(output.w, cell.w, gates[0].w, gates[1].w, gates[2].w, gates[3].w);
  cells[state] = cell;
  outputs[state] = output;
}

Case make() {
  auto* from_input = device_array<float>(4 * kStates);
  auto* from_output = device_array<float>(4 * kStates);
  auto* cells = device_array<float>(kStates);
  auto* outputs = device_array<float>(kStates);
  fill_fractions(from_input, 4 * kStates, 1);
  fill_fractions(from_output, 4 * kStates, 2);
  fill_fractions(cells, kStates, 3);
  return {[=] {
            advance_cells<<<kSequences, kThreads>>>(
                reinterpret_cast<float4*>(outputs), reinterpret_cast<float4*>(cells),
                reinterpret_cast<const float4*>(from_input), reinterpret_cast<const float4*>(from_output));
          },
          [=] { return device_sum(outputs, kStates); }, 2000};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, {}, make);
}
