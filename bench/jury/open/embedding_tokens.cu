// Fetches the embeddings of a batch of tokens: rows of 256 floats of a table.
// Fault: a thread copies a whole row. Repair: 64 neighbouring threads copy it, 16 bytes each.
#include "../case.cuh"

namespace {

constexpr unsigned kWords = 50'000, kWidth = 256, kTokens = 1U << 17;

__global__ void embed_by_threads(const float* table, const int* tokens, float* out, unsigned n) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  const float* row = table + static_cast<unsigned>(tokens[t]) * kWidth;
  for (unsigned k = 0; k < kWidth; ++k) out[t * kWidth + k] = row[k];  // fault
}

__global__ void embed_by_rows(const float4* table, const int* tokens, float4* out, unsigned n) {
  constexpr unsigned kLanes = kWidth / 4;
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, t = i / kLanes;
  if (t < n) out[i] = table[static_cast<unsigned>(tokens[t]) * kLanes + i % kLanes];
}

struct Data {
  float *table, *out;
  int* tokens;
};

Data batch() {
  const Data data{device_array<float>(kWords * kWidth), device_array<float>(std::size_t{kTokens} * kWidth),
                  device_array<int>(kTokens)};
  fill_fractions(data.table, kWords * kWidth, 11);
  fill_below(data.tokens, kTokens, kWords, 12);
  return data;
}

Case fault() {
  const Data data = batch();
  return {[=] {
            embed_by_threads<<<blocks_for(kTokens, 256), 256>>>(data.table, data.tokens, data.out, kTokens);
          },
          [=] { return device_sum(data.out, 1 << 20); }, 800};
}

Case clean() {
  const Data data = batch();
  return {[=] {
            embed_by_rows<<<blocks_for(std::size_t{kTokens} * kWidth / 4, 256), 256>>>(
                reinterpret_cast<const float4*>(data.table), data.tokens, reinterpret_cast<float4*>(data.out),
                kTokens);
          },
          [=] { return device_sum(data.out, 1 << 20); }, 800};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, fault, clean);
}
