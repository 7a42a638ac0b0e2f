// Brings the weights of a layer's 256 experts to the device, 24 KB each, and applies them.
// At fault: each expert's weights are copied by themselves. The pattern is that of kekzl/imp, whose pull
// request 1412 brings a layer by one transfer.
#include "../case.cuh"

namespace {

constexpr int kExperts = 256, kExpertBytes = 24 << 10, kThreads = 256, kRounds = 800;
constexpr int kWords = kExperts * kExpertBytes / 16;
constexpr std::size_t kBytes = static_cast<std::size_t>(kExperts) * kExpertBytes;

__device__ int sum_of_bytes(unsigned word, int sum) {
  return __dp4a(static_cast<int>(word), 0x01010101, sum);
}

__global__ void apply_weights(int* out, const uint4* weights) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= kWords) return;
  const uint4 w = weights[i];
  out[i] = sum_of_bytes(w.x, sum_of_bytes(w.y, sum_of_bytes(w.z, sum_of_bytes(w.w, 0))));
}

struct Layer {
  signed char *host, *device;
  int* out;
};

Layer made_layer() {
  const Layer layer{pinned_array<signed char>(kBytes), device_array<signed char>(kBytes),
                    device_array<int>(kWords)};
  for (std::size_t i = 0; i < kBytes; ++i) {
    layer.host[i] = static_cast<signed char>(mixed_bits(static_cast<unsigned>(i)) % 64);
  }
  return layer;
}

void apply(const Layer& layer) {
  apply_weights<<<blocks_for(kWords, kThreads), kThreads>>>(layer.out,
                                                            reinterpret_cast<const uint4*>(layer.device));
}

Case by_expert() {
  const Layer layer = made_layer();
  return {[=] {
            for (int expert = 0; expert < kExperts; ++expert) {
              signed char* to = layer.device + static_cast<std::size_t>(expert) * kExpertBytes;
              const signed char* from = layer.host + (to - layer.device);
              CHECK(cudaMemcpyAsync(to, from, kExpertBytes, cudaMemcpyHostToDevice));  // fault
            }
            apply(layer);
          },
          [=] { return device_sum(layer.out, kWords); }, kRounds};
}

Case by_layer() {
  const Layer layer = made_layer();
  return {[=] {
            CHECK(cudaMemcpyAsync(layer.device, layer.host, kBytes, cudaMemcpyHostToDevice));
            apply(layer);
          },
          [=] { return device_sum(layer.out, kWords); }, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, by_expert, by_layer);
}
