// A step of the optimiser AdamW on 32 million parameters.
// Nothing is wrong: four contiguous arrays in, three out, each word once.
// The pattern is that of karpathy/llm.c, dev/cuda/adamw.cu: kernel 2.
#include "../case.cuh"

namespace {

constexpr int kParameters = 32 << 20, kThreads = 512;

struct Rates {
  float learning, first, second, decay, epsilon;
};

__global__ void adamw(float* parameters, const float* gradients, float* means, float* squares, int count,
                      Rates r) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= count) return;
  const float gradient = gradients[i];
  const float mean = r.first * means[i] + (1 - r.first) * gradient;
  const float square = r.second * squares[i] + (1 - r.second) * gradient * gradient;
  means[i] = mean;
  squares[i] = square;
  const float parameter = parameters[i];
  parameters[i] = parameter - r.learning * (mean / (sqrtf(square) + r.epsilon) + r.decay * parameter);
}

Case make() {
  auto* parameters = device_array<float>(kParameters);
  auto* gradients = device_array<float>(kParameters);
  auto* means = device_array<float>(kParameters);
  auto* squares = device_array<float>(kParameters);
  fill_fractions(parameters, kParameters, 1);
  fill_fractions(gradients, kParameters, 2);
  CHECK(cudaMemset(means, 0, kParameters * sizeof(float)));
  CHECK(cudaMemset(squares, 0, kParameters * sizeof(float)));
  const Rates rates{1e-4F, 0.9F, 0.999F, 0.01F, 1e-8F};
  return {[=] {
            adamw<<<blocks_for(kParameters, kThreads), kThreads>>>(parameters, gradients, means, squares,
                                                                   kParameters, rates);
          },
          [=] { return device_sum(parameters, std::size_t{1} << 22); }, 1000};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, {}, make);
}
