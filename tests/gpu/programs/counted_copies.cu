// Threads that copy pinned memory to the device, to pageable memory, and within the device, while another one
// launches kernels; and once it has ended, one that sets memory.
#include <thread>

#include "work.cuh"

namespace {

constexpr int kCopies = 600'000, kDownloads = 300'000, kLaunches = 200'000, kSets = 50'000, kWords = 1024,
              kBytes = kWords * sizeof(int);

__global__ void increment(int* words) {
  words[blockIdx.x * blockDim.x + threadIdx.x] += 1;
}

struct OnDevice {
  OnDevice() {
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    for (int** array : {&first, &second}) CHECK(cudaMalloc(array, kBytes));
  }
  cudaStream_t stream = nullptr;
  int *first = nullptr, *second = nullptr;
};

void upload(int& wrong) {
  OnDevice memory;
  int* pinned = nullptr;
  CHECK(cudaMallocHost(&pinned, kBytes));
  for (int i = 0; i < kWords; ++i) pinned[i] = i;
  for (int i = 0; i < kCopies; ++i) {
    CHECK(cudaMemcpyAsync(memory.first, pinned, kBytes, cudaMemcpyHostToDevice, memory.stream));
    if (i % 500 == 499) CHECK(cudaStreamSynchronize(memory.stream));
  }
  CHECK(cudaMemcpy(&wrong, memory.first + 5, sizeof wrong, cudaMemcpyDeviceToHost));
  wrong -= 5;
}

void download(int& wrong) {
  const OnDevice memory;
  std::vector<int> words(kWords, 3);
  CHECK(cudaMemcpy(memory.first, words.data(), kBytes, cudaMemcpyHostToDevice));
  for (int i = 0; i < kDownloads; ++i)
    CHECK(cudaMemcpy(words.data(), memory.first, kBytes / 2, cudaMemcpyDeviceToHost));
  wrong = words[0] - 3;
}

void copy_within(int& wrong) {
  const OnDevice memory;
  for (int i = 0; i < kCopies; ++i) {
    CHECK(cudaMemcpyAsync(memory.second, memory.first, kBytes, cudaMemcpyDeviceToDevice, memory.stream));
    if (i % 500 == 499) CHECK(cudaStreamSynchronize(memory.stream));
  }
  CHECK(cudaStreamSynchronize(memory.stream));
  wrong = 0;
}

void launch(int& wrong) {
  const OnDevice memory;
  for (int i = 0; i < kLaunches; ++i) {
    increment<<<kWords / 256, 256, 0, memory.stream>>>(memory.first);
    if (i % 500 == 499) CHECK(cudaStreamSynchronize(memory.stream));
  }
  wrong = 0;
}

void set(int& wrong) {
  const OnDevice memory;
  for (int i = 0; i < kSets; ++i) {
    CHECK(cudaMemsetAsync(memory.first, 0, kBytes, memory.stream));
    if (i % 500 == 499) CHECK(cudaStreamSynchronize(memory.stream));
  }
  CHECK(cudaMemcpy(&wrong, memory.first, sizeof wrong, cudaMemcpyDeviceToHost));
}

}  // namespace

int main() {
  CHECK(cudaFree(nullptr));
  std::vector<int> wrong(5, 1);
  std::thread launches([&] {
    launch(wrong[3]);
    set(wrong[4]);
  });
  std::vector<std::thread> copies;
  int place = 0;
  for (void (*work)(int&) : {&upload, &download, &copy_within})
    copies.emplace_back([work, &result = wrong[place++]] { work(result); });
  for (auto& thread : copies) thread.join();
  launches.join();
  for (const int result : wrong)
    if (result != 0) return std::puts("wrong"), 1;
  std::puts("right");
  return 0;
}
