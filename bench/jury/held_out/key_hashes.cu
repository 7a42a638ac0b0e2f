// Hashes of 64 million keys of 8 bytes.
// Nothing is wrong: a thread takes two keys at once. The pattern is that of NVIDIA/cuCollections,
// include/cuco/detail/hash_functions/xxhash.cuh.
#include "../case.cuh"

namespace {

constexpr int kKeys = 64 << 20, kThreads = 256;

__device__ unsigned hash_of(unsigned long long key) {
  unsigned hash = 0x165667b1U + 8;
  for (int half = 0; half < 2; ++half) {
    hash += static_cast<unsigned>(key >> 32 * half) * 0xc2b2ae3dU;
    hash = (hash << 17 | hash >> 15) * 0x27d4eb2fU;
  }
  hash = (hash ^ hash >> 15) * 0x85ebca77U;
  hash = (hash ^ hash >> 13) * 0xc2b2ae3dU;
  return hash ^ hash >> 16;
}

__global__ void hash_keys(uint2* hashes, const ulonglong2* keys) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const ulonglong2 two = keys[i];
  hashes[i] = make_uint2(hash_of(two.x), hash_of(two.y));
}

__global__ void fill_keys(unsigned long long* keys) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  keys[i] = static_cast<unsigned long long>(mixed_bits(i)) << 32 | i;
}

Case make() {
  auto* keys = device_array<unsigned long long>(kKeys);
  auto* hashes = device_array<unsigned>(kKeys);
  fill_keys<<<kKeys / 256, 256>>>(keys);
  return {[=] {
            hash_keys<<<kKeys / 2 / kThreads, kThreads>>>(reinterpret_cast<uint2*>(hashes),
                                                          reinterpret_cast<const ulonglong2*>(keys));
          },
          [=] { return device_sum(hashes, std::size_t{1} << 22); }, 1600};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, {}, make);
}
