#include <algorithm>
#include <array>

#include "kernels/twins/run_twin.cuh"

namespace coalescope::kernels {
namespace {

// Enough that a recorder can measure some launches in each of its ways and leave others alone.
constexpr std::size_t kRuns = 20;

constexpr std::array kFiles{shift_twins,  stride_twins, uniform_twins, element_twins,   layout_twins,
                            gather_twins, lane_twins,   shared_twins,  transpose_twins, staging_twins,
                            local_twins,  atomic_twins, l2_twins,      host_twins,      launch_twins};

SharedWords owned(Word* words, cudaError_t (*free)(void*)) {
  return SharedWords(words, [free](Word* held) { free(held); });
}

class Events {
 public:
  Events() {
    for (cudaEvent_t& event : events_) check_cuda(cudaEventCreate(&event), "cudaEventCreate");
  }
  ~Events() {
    for (const cudaEvent_t event : events_) cudaEventDestroy(event);
  }
  Events(const Events&) = delete;
  Events& operator=(const Events&) = delete;

  void record(std::size_t index) { check_cuda(cudaEventRecord(events_.at(index)), "cudaEventRecord"); }

  double median_us() const {
    std::array<float, kRuns> milliseconds{};
    for (std::size_t run = 0; run < kRuns; ++run)
      check_cuda(cudaEventElapsedTime(&milliseconds.at(run), events_.at(run), events_.at(run + 1)),
                 "cudaEventElapsedTime");
    auto* const middle = milliseconds.begin() + kRuns / 2;
    std::nth_element(milliseconds.begin(), middle, milliseconds.end());
    return double{*middle} * 1000;
  }

 private:
  std::array<cudaEvent_t, kRuns + 1> events_{};
};

}  // namespace

SharedWords device_words(std::int64_t count) {
  void* words = nullptr;
  check_cuda(cudaMalloc(&words, static_cast<std::size_t>(count * kWordBytes)),
             "cudaMalloc (a twin needs up to 512 MiB of free GPU memory)");
  return owned(static_cast<Word*>(words), cudaFree);
}

SharedWords copied_back(const Word* words, std::int64_t count) {
  const auto bytes = static_cast<std::size_t>(count * kWordBytes);
  void* copy = nullptr;
  check_cuda(cudaMallocHost(&copy, bytes), "cudaMallocHost (a twin needs up to 256 MiB that may be pinned)");
  SharedWords held = owned(static_cast<Word*>(copy), cudaFreeHost);
  check_cuda(cudaMemcpy(copy, words, bytes, cudaMemcpyDeviceToHost), "cudaMemcpy of the result");
  return held;
}

std::vector<TwinCode> twin_code() {
  std::vector<TwinCode> all;
  for (const auto& of_file : kFiles) std::ranges::move(of_file(), std::back_inserter(all));
  return all;
}

bool every_twin_has_code() {
  std::vector<std::string_view> known, runnable;
  for (const Twin& twin : twins()) known.push_back(twin.id);
  for (const TwinCode& code : twin_code()) runnable.push_back(code.id);
  std::ranges::sort(known);
  std::ranges::sort(runnable);
  return known == runnable;
}

// The runs follow each other without a wait, or the way to the GPU would be in the time of each. One that
// waits by itself may: then that wait is part of what it costs.
TwinOutcome run_side(const Twin& twin, Side side) {
  const std::vector<TwinCode> all = twin_code();
  const Computation computation = std::ranges::find(all, twin.id, &TwinCode::id)->prepare(side);
  check_cuda(cudaDeviceSynchronize(), "the preparation");
  Events events;
  events.record(0);
  for (std::size_t run = 0; run < kRuns; ++run) {
    computation.run();
    check_cuda(cudaGetLastError(), "the launch");
    events.record(run + 1);
  }
  check_cuda(cudaDeviceSynchronize(), "cudaDeviceSynchronize after the last run");
  return {events.median_us(), computation.find_mistake()};
}

}  // namespace coalescope::kernels
