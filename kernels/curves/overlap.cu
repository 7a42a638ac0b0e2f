// D3: a GPU that waits for copies. D4: copy and compute staged over n streams, against t_E + t_T/n where the
// kernel takes longer and t_T + t_E/n where the copies do.

#include <array>
#include <vector>

#include "kernels/curves/experiments.cuh"
#include "kernels/curves/reading.cuh"

namespace coalescope::kernels {

__host__ __device__ inline Word worked_on(Word word, int rounds) {
  for (int round = 0; round < rounds; ++round) word = word * 1664525U + 1013904223U;
  return word;
}

// As long as one likes: `rounds` says how much work there is for each word.
__global__ void work_on(Word* words, std::int64_t count, int rounds) {
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = thread_index(); i < count; i += step) words[i] = worked_on(words[i], rounds);
}

namespace {

constexpr std::int64_t kBytes = 64 * kMiB, kWords = kBytes / kWordBytes;
constexpr int kSample = 4099;  // every so many words are compared with the host's

struct Buffers {
  OnDevice<Word> device = device_array<Word>(kBytes);
  OnHost<Word> from = pinned_array<Word>(kBytes);
  OnHost<Word> to = pinned_array<Word>(kBytes);
  Buffers() {
    for (std::int64_t i = 0; i < kWords; ++i) from[i] = input_word(i);
  }
};

void work(const Bench& bench, Word* words, std::int64_t count, int rounds, cudaStream_t stream) {
  work_on<<<bench.full_grid(), kBlockThreads, 0, stream>>>(words, count, rounds);
}

void copy(Word* to, const Word* from, std::int64_t words, cudaMemcpyKind kind, cudaStream_t stream) {
  check_cuda(cudaMemcpyAsync(to, from, static_cast<std::size_t>(words * kWordBytes), kind, stream),
             "cudaMemcpyAsync");
}

double kernel_ns(const Bench& bench, const Buffers& buffers, int rounds) {
  const Times times = bench.on_gpu(
      9, [&](cudaStream_t stream) { work(bench, buffers.device.get(), kWords, rounds, stream); });
  return quartiles(times).median;
}

double copy_ns(const Bench& bench, const Buffers& buffers) {
  const Times times = bench.on_gpu(9, [&](cudaStream_t stream) {
    copy(buffers.device.get(), buffers.from.get(), kWords, cudaMemcpyHostToDevice, stream);
  });
  return quartiles(times).median;
}

// So many rounds that the kernel takes about that long.
int rounds_for(const Bench& bench, const Buffers& buffers, double wanted_ns) {
  constexpr int kFew = 256, kMany = 1024;
  const double few_ns = kernel_ns(bench, buffers, kFew), many_ns = kernel_ns(bench, buffers, kMany);
  const double round_ns = (many_ns - few_ns) / (kMany - kFew);
  return round_ns > 0 ? std::max(1, kFew + static_cast<int>((wanted_ns - few_ns) / round_ns)) : kFew;
}

// Samples of what the copies in and the kernel left on the device.
void check_result(Bench& bench, const char* name, const Word* on_host, int rounds) {
  std::uint64_t expected = 0, found = 0;
  for (std::int64_t i = 0; i < kWords; i += kSample) {
    expected += worked_on(input_word(i), rounds);
    found += on_host[i];
  }
  bench.check(name, expected, found);
}

void measure_bound(Bench& bench, const Buffers& buffers, bool compute_bound) {
  const char* const name = compute_bound ? "staged_compute_bound" : "staged_transfer_bound";
  const double transfer_ns = copy_ns(bench, buffers);
  const int rounds = rounds_for(bench, buffers, transfer_ns * (compute_bound ? 2 : 0.5));
  const double compute_ns = kernel_ns(bench, buffers, rounds);
  const std::array<Stream, 8> streams;
  for (int count = 1; count <= 8; count *= 2) {
    const std::int64_t part = kWords / count;
    const Times times = bench.on_host(21, [&] {
      for (int i = 0; i < count; ++i) {
        Word* const words = buffers.device.get() + i * part;
        copy(words, buffers.from.get() + i * part, part, cudaMemcpyHostToDevice, streams[i]);
        work(bench, words, part, rounds, streams[i]);
      }
      for (int i = 0; i < count; ++i) streams[i].wait();
    });
    const double longer = std::max(transfer_ns, compute_ns), shorter = std::min(transfer_ns, compute_ns);
    const double expected_ns = longer + shorter / count;
    bench.time({name, count, {}}, times, expected_ns);
    bench.figure({name, count, {}}, kTimeShare, "", quartiles(times).median / (transfer_ns + compute_ns),
                 expected_ns / (transfer_ns + compute_ns));
  }
  check_cuda(cudaMemcpy(buffers.to.get(), buffers.device.get(), kBytes, cudaMemcpyDeviceToHost),
             "cudaMemcpy");
  check_result(bench, name, buffers.to.get(), rounds);
  bench.time({std::string(name) + "_copy", {}, {}}, {transfer_ns});
  bench.time({std::string(name) + "_kernel", {}, {}}, {compute_ns});
}

// D3. In, kernel, out for each of the parts.
constexpr int kParts = 16;
constexpr std::int64_t kPartWords = kWords / kParts;

struct Way {
  const char* name;
  bool pinned;
  bool asynchronous;
  int streams;
};
constexpr std::array kWays{Way{"idle_synchronous_pageable", false, false, 1},
                           Way{"idle_synchronous_pinned", true, false, 1},
                           Way{"idle_one_stream", true, true, 1}, Way{"idle_four_streams", true, true, 4}};

void run_parts(const Bench& bench, const Way& way, Word* device, const Word* from, Word* to, int rounds,
               std::span<const Stream> streams) {
  for (int part = 0; part < kParts; ++part) {
    const std::int64_t at = part * kPartWords;
    const auto bytes = static_cast<std::size_t>(kPartWords * kWordBytes);
    if (way.asynchronous) {
      const Stream& stream = streams[part % way.streams];
      copy(device + at, from + at, kPartWords, cudaMemcpyHostToDevice, stream);
      work(bench, device + at, kPartWords, rounds, stream);
      copy(to + at, device + at, kPartWords, cudaMemcpyDeviceToHost, stream);
      continue;
    }
    check_cuda(cudaMemcpy(device + at, from + at, bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
    work(bench, device + at, kPartWords, rounds, nullptr);
    check_cuda(cudaMemcpy(to + at, device + at, bytes, cudaMemcpyDeviceToHost), "cudaMemcpy");
  }
  for (const Stream& stream : streams) stream.wait();
}

}  // namespace

void measure_idle_gpu(Bench& bench) {
  const Buffers buffers;
  const std::vector<Word> pageable_from(buffers.from.get(), buffers.from.get() + kWords);
  std::vector<Word> pageable_to(kWords);
  const int rounds = rounds_for(bench, buffers, copy_ns(bench, buffers));
  const Times kernels = bench.on_gpu(9, [&](cudaStream_t stream) {
    for (int part = 0; part < kParts; ++part)
      work(bench, buffers.device.get() + part * kPartWords, kPartWords, rounds, stream);
  });
  const double busy_ns = quartiles(kernels).median;
  const std::array<Stream, 4> streams;
  for (const Way& way : kWays) {
    const Word* const from = way.pinned ? buffers.from.get() : pageable_from.data();
    Word* const to = way.pinned ? buffers.to.get() : pageable_to.data();
    const Times times =
        bench.on_host(21, [&] { run_parts(bench, way, buffers.device.get(), from, to, rounds, streams); });
    bench.time({way.name, {}, {}}, times);
    bench.figure({way.name, {}, {}}, "idle_share", "", 1 - busy_ns / quartiles(times).median);
    check_result(bench, way.name, to, rounds);
  }
}

void measure_staged(Bench& bench) {
  bench.figure({"copy_engines", {}, {}}, "engines", "", bench.device().asyncEngineCount);
  const Buffers buffers;
  measure_bound(bench, buffers, false);
  measure_bound(bench, buffers, true);
}

}  // namespace coalescope::kernels
