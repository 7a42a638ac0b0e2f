// Launches one tiny kernel many times and prints how long that took, as one line of JSON: the whole loop,
// each tenth of it, and the process's memory after each tenth, whose growth shows what a recorder keeps.
#include <array>
#include <vector>

#include "program.cuh"

namespace {

constexpr int kThreads = 128;
constexpr int kParts = 10;

__global__ void count_up(int* counts) {
  ++counts[threadIdx.x];
}

// Every launch was run, once.
bool all_ran(const int* counts, long launches) {
  std::vector<int> host(kThreads);
  CHECK(cudaMemcpy(host.data(), counts, kThreads * sizeof(int), cudaMemcpyDeviceToHost));
  for (const int count : host)
    if (count != launches) return false;
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  const long launches = count_from(argc, argv, 20'000);
  int* counts = nullptr;
  CHECK(cudaMalloc(&counts, kThreads * sizeof(int)));
  CHECK(cudaMemset(counts, 0, kThreads * sizeof(int)));
  CHECK(cudaDeviceSynchronize());

  std::array<std::int64_t, kParts> part_ns{};
  std::array<long, kParts> rss_kb{};
  for (long part = 0, done = 0; part < kParts; ++part) {
    const std::int64_t began_ns = now_ns();
    for (const long end = launches * (part + 1) / kParts; done < end; ++done)
      count_up<<<1, kThreads>>>(counts);
    if (part == kParts - 1) CHECK(cudaDeviceSynchronize());
    part_ns[part] = now_ns() - began_ns;
    rss_kb[part] = memory_kb("VmRSS");
  }
  CHECK(cudaGetLastError());

  std::int64_t loop_ns = 0;
  for (const std::int64_t ns : part_ns) loop_ns += ns;
  const bool right = all_ran(counts, launches);
  std::printf("{\"launches\": %ld, \"loop_ns\": %lld, \"right\": %s, \"peak_kb\": %ld", launches,
              static_cast<long long>(loop_ns), right ? "true" : "false", memory_kb("VmHWM"));
  std::printf(", \"part_ns\": [");
  for (int i = 0; i < kParts; ++i)
    std::printf("%s%lld", i == 0 ? "" : ", ", static_cast<long long>(part_ns[i]));
  std::printf("], \"rss_kb\": [");
  for (int i = 0; i < kParts; ++i) std::printf("%s%ld", i == 0 ? "" : ", ", rss_kb[i]);
  std::printf("]}\n");
  return right ? 0 : 1;
}
