// Every kind of memory once, each with its own size, from a function with a name; and a kernel that is given
// one of each. The sizes are odd, so that none is mistaken for an allocation of the runtime's own.
#include "work.cuh"

__global__ void strided_kinds(const float* device, const float* pinned, const float* managed, float* out,
                              long count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = device[i] + pinned[i] + managed[i];
}

// The same memory, passed as structures are.
struct Arrays {
  long count;
  const float* device;
  const float* managed;
};
__global__ void sum_of_structure(const Arrays arrays, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < arrays.count) out[i] += arrays.device[i] * arrays.managed[i];
}

struct Memory {
  float* device = nullptr;
  float* pinned = nullptr;
  float* managed = nullptr;
  float* pool = nullptr;
  void* registered = nullptr;
  cudaArray_t array = nullptr;
};

__attribute__((noinline)) Memory allocate_everything(cudaStream_t stream) {
  Memory memory;
  CHECK(cudaMalloc(&memory.device, 1'000'064));
  CHECK(cudaMallocHost(&memory.pinned, 2'000'128));
  CHECK(cudaMallocManaged(&memory.managed, 3'000'192));
  CHECK(cudaMallocAsync(&memory.pool, 4'000'256, stream));
  memory.registered = aligned_alloc(4096, 4096 * 1223);
  CHECK(cudaHostRegister(memory.registered, 4096 * 1223, cudaHostRegisterDefault));
  const cudaChannelFormatDesc element = cudaCreateChannelDesc<float4>();
  CHECK(cudaMallocArray(&memory.array, &element, 37, 41));
  return memory;
}

int main() {
  cudaStream_t stream = nullptr;
  CHECK(cudaStreamCreate(&stream));
  Memory memory = allocate_everything(stream);
  CHECK(cudaMemset(memory.device, 0, 1'000'064));
  for (int i = 0; i < 1000; ++i) memory.pinned[i] = memory.managed[i] = 1.0F;
  strided_kinds<<<8, 128, 0, stream>>>(memory.device, memory.pinned, memory.managed, memory.pool, 1000L);
  sum_of_structure<<<8, 128, 0, stream>>>({1000L, memory.device, memory.managed}, memory.pool);
  CHECK(cudaStreamSynchronize(stream));
  float last = 0;
  CHECK(cudaMemcpyAsync(&last, memory.pool + 999, sizeof last, cudaMemcpyDeviceToHost, stream));
  CHECK(cudaStreamSynchronize(stream));
  std::printf("last %.0f, managed %.0f\n", last, memory.managed[0]);
  // A loop of small ones, which must neither fill the capture nor take long.
  for (int i = 0; i < 100'000; ++i) {
    void* small = nullptr;
    CHECK(cudaMallocAsync(&small, 512, stream));
    CHECK(cudaFreeAsync(small, stream));
  }
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaFreeArray(memory.array));
  CHECK(cudaHostUnregister(memory.registered));
  CHECK(cudaFreeAsync(memory.pool, stream));
  CHECK(cudaFree(memory.managed));
  CHECK(cudaFreeHost(memory.pinned));
  CHECK(cudaStreamSynchronize(stream));
  return 0;  // the device memory is never freed
}
