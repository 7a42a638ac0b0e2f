// Looks up 16 million keys in a hash table of 32 million places, half of them taken; half of the keys are
// there.
// Nothing is wrong: a place is 8 bytes that one load reads, and the keys come in no order. After
// nosferalatu/SimpleGPUHashTable, src/linearprobing.cu.
#include "../case.cuh"

namespace {

using Place = unsigned long long;  // the key above its value
constexpr unsigned kPlaces = 32U << 20, kKeys = 16U << 20, kThreads = 256;
constexpr Place kEmpty = ~Place{0};

__device__ unsigned first_place(unsigned key) {
  return (key * 2654435769U) >> 7;
}

__global__ void insert(Place* table) {
  const unsigned value = blockIdx.x * blockDim.x + threadIdx.x, key = mixed_bits(value);
  const Place own = static_cast<Place>(key) << 32 | value;
  unsigned at = first_place(key);
  while (atomicCAS(table + at, kEmpty, own) != kEmpty) at = (at + 1) % kPlaces;
}

__global__ void make_keys(unsigned* keys) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  keys[i] = mixed_bits(2 * i);
}

__global__ void look_up(unsigned* values, const Place* table, const unsigned* keys) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, key = keys[i];
  unsigned at = first_place(key), value = 0;
  for (Place place = table[at]; place != kEmpty; place = table[at]) {
    if (static_cast<unsigned>(place >> 32) == key) {
      value = static_cast<unsigned>(place);
      break;
    }
    at = (at + 1) % kPlaces;
  }
  values[i] = value;
}

Case make() {
  auto* table = device_array<Place>(kPlaces);
  auto* keys = device_array<unsigned>(kKeys);
  auto* values = device_array<unsigned>(kKeys);
  CHECK(cudaMemset(table, 0xff, kPlaces * sizeof(Place)));
  insert<<<kKeys / kThreads, kThreads>>>(table);
  make_keys<<<kKeys / kThreads, kThreads>>>(keys);
  return {[=] { look_up<<<kKeys / kThreads, kThreads>>>(values, table, keys); },
          [=] { return device_sum(values, kKeys); }, 1000};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, {}, make);
}
