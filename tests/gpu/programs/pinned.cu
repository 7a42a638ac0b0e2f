// Host memory that is pinned in each round, and that is kept. Each line says which it is. How long the calls
// of each line took by the program's own clock goes to pinned.ns.
#include <chrono>
#include <cstdio>
#include <vector>

namespace {

constexpr int kWords = 1 << 18, kRounds = 40;
constexpr std::size_t kBytes = kWords * sizeof(float);
using Clock = std::chrono::steady_clock;

__global__ void add(float* sums, const float* batch, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) sums[i] += batch[i];
}

// Adds the time from its beginning to its end.
class Timer {
 public:
  explicit Timer(Clock::duration& total) : total_(total) {}
  ~Timer() { total_ += Clock::now() - began_; }

 private:
  Clock::duration& total_;
  Clock::time_point began_ = Clock::now();
};

void add_batch(float* sums, float* batch, float* pinned, int round) {
  for (int i = 0; i < kWords; ++i) pinned[i] = static_cast<float>(round);
  cudaMemcpyAsync(batch, pinned, kBytes, cudaMemcpyHostToDevice);
  add<<<kWords / 256, 256>>>(sums, batch, kWords);
  cudaDeviceSynchronize();
}

// Each is a function of its own, because what one function pins again and again is one finding.
__attribute__((noinline)) void add_from_pinned(float* sums, float* batch, int round, Clock::duration& total) {
  float* each = nullptr;
  {
    const Timer timer(total);
    cudaMallocHost(&each, kBytes);  // pinned: again
  }
  add_batch(sums, batch, each, round);
  const Timer timer(total);
  cudaFreeHost(each);
}

__attribute__((noinline)) void add_from_registered(float* sums, float* batch, float* own, int round,
                                                   Clock::duration& total) {
  {
    const Timer timer(total);
    cudaHostRegister(own, kBytes, cudaHostRegisterDefault);  // pinned: registered
  }
  add_batch(sums, batch, own, round);
  const Timer timer(total);
  cudaHostUnregister(own);
}

}  // namespace

int main() {
  Clock::duration in_allocations{}, in_registrations{};
  float *sums = nullptr, *batch = nullptr, *once = nullptr;
  std::vector<float> own(kWords);
  std::vector<float*> pool(kRounds);
  cudaMalloc(&sums, kBytes);
  cudaMalloc(&batch, kBytes);
  cudaMemset(sums, 0, kBytes);
  cudaMallocHost(&once, kBytes);  // pinned: once
  for (int round = 0; round < kRounds; ++round) {
    cudaMallocHost(&pool[round], kBytes / 16);  // pinned: kept
    add_batch(sums, batch, once, round);
    add_from_pinned(sums, batch, round, in_allocations);
    add_from_registered(sums, batch, own.data(), round, in_registrations);
  }
  float last = 0;
  cudaMemcpy(&last, sums + kWords - 1, sizeof last, cudaMemcpyDeviceToHost);
  std::printf("%s\n", last == 3.0f * kRounds * (kRounds - 1) / 2 ? "right" : "wrong");
  if (std::FILE* file = std::fopen("pinned.ns", "w")) {
    std::fprintf(file, "{\"again\": %.0f, \"registered\": %.0f}\n",
                 std::chrono::duration<double, std::nano>(in_allocations).count(),
                 std::chrono::duration<double, std::nano>(in_registrations).count());
    std::fclose(file);
  }
}
