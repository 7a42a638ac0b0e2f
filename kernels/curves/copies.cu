// D1: copies as the host sees them, from the call to its return. D2: the same bytes in pieces, and what each
// further piece costs. D5: data that visits the host between two kernels.

#include <cstring>
#include <numeric>

#include "kernels/curves/experiments.cuh"
#include "kernels/curves/reading.cuh"

namespace coalescope::kernels {

__global__ void increment_words(Word* words, std::int64_t count) {
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = thread_index(); i < count; i += step) ++words[i];
}

namespace {

constexpr int kCopyCheckTag = -3;

Word total_on_device(const Bench& bench, const Word* words, std::int64_t bytes) {
  const Sums sums(bench.full_grid());
  read_quads<kCopyCheckTag><<<bench.full_grid(), kBlockThreads>>>(
      sums.get(), words, static_cast<unsigned>(bytes / kWordBytes / kQuadWords), 1);
  return sums.total();
}

Word total_on_host(const Word* words, std::int64_t bytes) {
  return std::accumulate(words, words + bytes / kWordBytes, Word{0});
}

Word total_of_input(std::int64_t bytes) {
  return sum_of_words(0, 1, static_cast<std::uint64_t>(bytes / kWordBytes));
}

void fill_on_host(Word* words, std::int64_t bytes) {
  for (std::int64_t i = 0; i < bytes / kWordBytes; ++i) words[i] = input_word(i);
}

// Small copies scatter most, and take least.
int repetitions_of(std::int64_t bytes) {
  if (bytes < kMiB) return 400;
  return bytes < 64 * kMiB ? 60 : 15;
}

void measure_calls(Bench& bench, const std::string& memory, Word* host, Word* device) {
  fill_on_host(host, kArrayBytes);
  for (const bool to_device : {true, false}) {
    const std::string name = (to_device ? "call_host_to_device_" : "call_device_to_host_") + memory;
    for (const std::int64_t bytes : kCopyBytes) {
      const auto size = static_cast<std::size_t>(bytes);
      const Times times = bench.on_host(repetitions_of(bytes), [&] {
        // A copy from pageable memory may return before its last bytes have left the driver's buffer.
        check_cuda(to_device ? cudaMemcpy(device, host, size, cudaMemcpyHostToDevice)
                             : cudaMemcpy(host, device, size, cudaMemcpyDeviceToHost),
                   "cudaMemcpy");
        check_cuda(cudaStreamSynchronize(nullptr), "cudaStreamSynchronize");
      });
      bench.bandwidth({name, static_cast<double>(bytes), {}}, static_cast<double>(bytes), times);
    }
    bench.check(name, total_of_input(kArrayBytes),
                to_device ? total_on_device(bench, device, kArrayBytes) : total_on_host(host, kArrayBytes));
    if (to_device) std::memset(host, 0, kArrayBytes);
  }
}

}  // namespace

void measure_copy_calls(Bench& bench) {
  const OnDevice<Word> device = device_array<Word>(kArrayBytes);
  {
    const OnHost<Word> pinned = pinned_array<Word>(kArrayBytes);
    measure_calls(bench, "pinned", pinned.get(), device.get());
  }
  const auto pageable = std::make_unique<Word[]>(kArrayWords);
  measure_calls(bench, "pageable", pageable.get(), device.get());
}

void measure_copy_both_ways(Bench& bench) {
  constexpr std::int64_t kBytes = 64 * kMiB;
  if (bench.device().asyncEngineCount < 2) {
    bench.skipped({"copy_both_ways", {}, {}}, kGbPerSecond, "the GPU has a single copy engine");
    return;
  }
  const OnDevice<Word> in = device_array<Word>(kBytes), out = filled_array(kBytes);
  const OnHost<Word> from = pinned_array<Word>(kBytes), to = pinned_array<Word>(kBytes);
  fill_on_host(from.get(), kBytes);
  const Stream one, other;
  const Times times = bench.on_host(31, [&] {
    check_cuda(cudaMemcpyAsync(in.get(), from.get(), kBytes, cudaMemcpyHostToDevice, one), "cudaMemcpyAsync");
    check_cuda(cudaMemcpyAsync(to.get(), out.get(), kBytes, cudaMemcpyDeviceToHost, other),
               "cudaMemcpyAsync");
    one.wait();
    other.wait();
  });
  bench.bandwidth({"copy_both_ways", {}, {}}, 2.0 * kBytes, times);
  bench.check("copy_both_ways", total_of_input(kBytes), total_on_device(bench, in.get(), kBytes));
  bench.check("copy_both_ways", total_of_input(kBytes), total_on_host(to.get(), kBytes));
}

void measure_small_copies(Bench& bench) {
  constexpr std::int64_t kBytes = 16 * kMiB, kSmallest = 1 * kKiB;
  constexpr int kTiny = 500;
  const OnDevice<Word> device = device_array<Word>(kBytes);
  const OnHost<Word> host = pinned_array<Word>(kBytes);
  fill_on_host(host.get(), kBytes);
  const Stream stream;
  const auto copy_in = [&](std::int64_t piece, std::int64_t bytes) {
    for (std::int64_t at = 0; at < bytes; at += piece)
      check_cuda(cudaMemcpyAsync(device.get() + at / kWordBytes, host.get() + at / kWordBytes,
                                 static_cast<std::size_t>(piece), cudaMemcpyHostToDevice, stream),
                 "cudaMemcpyAsync");
    stream.wait();
  };
  const Times tiny = divided(bench.on_host(15, [&] { copy_in(kWordBytes, kTiny * kWordBytes); }), kTiny);
  bench.time({"queued_copy", {}, {}}, tiny);
  const Times alone = bench.on_host(200, [&] {
    check_cuda(cudaMemcpy(device.get(), host.get(), kWordBytes, cudaMemcpyHostToDevice), "cudaMemcpy");
  });
  bench.time({"synchronous_copy", {}, {}}, alone);
  const double each_ns = quartiles(tiny).median;
  const Times whole = bench.on_host(31, [&] { copy_in(kBytes, kBytes); });
  const double whole_ns = quartiles(whole).median;
  // A copy engine does one after the other: to what the bytes take, each further piece adds what a copy of
  // next to nothing takes.
  for (std::int64_t piece = kSmallest; piece <= kBytes; piece *= 4) {
    const Times times = bench.on_host(15, [&] { copy_in(piece, kBytes); });
    const double pieces = static_cast<double>(kBytes) / static_cast<double>(piece);
    const double expected_ns = whole_ns + (pieces - 1) * each_ns;
    bench.bandwidth({"copy_in_pieces", static_cast<double>(piece), {}}, kBytes, times, kBytes / expected_ns);
  }
  bench.check("copy_in_pieces", total_of_input(kBytes), total_on_device(bench, device.get(), kBytes));
}

void measure_round_trip(Bench& bench) {
  constexpr std::int64_t kBytes = 64 * kMiB;
  const OnDevice<Word> words = device_array<Word>(kBytes);
  const OnHost<Word> host = pinned_array<Word>(kBytes);
  const auto clear = [&](cudaStream_t stream) {
    check_cuda(cudaMemsetAsync(words.get(), 0, kBytes, stream), "cudaMemset");
  };
  const auto increment = [&](cudaStream_t stream) {
    increment_words<<<bench.full_grid(), kBlockThreads, 0, stream>>>(words.get(), kBytes / kWordBytes);
  };
  for (const bool through_host : {false, true}) {
    const char* const name = through_host ? "round_trip" : "kept_on_device";
    const Times times = bench.on_gpu(
        21,
        [&](cudaStream_t stream) {
          increment(stream);
          if (through_host) {
            check_cuda(cudaMemcpyAsync(host.get(), words.get(), kBytes, cudaMemcpyDeviceToHost, stream),
                       "D2H");
            check_cuda(cudaMemcpyAsync(words.get(), host.get(), kBytes, cudaMemcpyHostToDevice, stream),
                       "H2D");
          }
          increment(stream);
        },
        clear);
    bench.time({name, {}, {}}, times);
    bench.check(name, static_cast<Word>(2 * (kBytes / kWordBytes)),
                total_on_device(bench, words.get(), kBytes));
  }
}

void measure_touches(Bench& bench) {
  constexpr std::int64_t kBytes = 64 * kMiB;
  constexpr auto kQuads = static_cast<unsigned>(kBytes / kWordBytes / kQuadWords);
  if (bench.device().canMapHostMemory == 0) {
    bench.skipped({"touch_zero_copy", {}, {}}, kTimeNs, "the GPU cannot map the host's memory");
    return;
  }
  const OnDevice<Word> device = device_array<Word>(kBytes);
  const OnHost<Word> host = pinned_array<Word>(kBytes);
  fill_on_host(host.get(), kBytes);
  const Sums sums(bench.full_grid());
  for (const bool staged : {false, true})
    for (int touches = 1; touches <= 4; ++touches) {
      const char* const name = staged ? "touch_staged" : "touch_zero_copy";
      const Times times = bench.on_gpu(15, [&](cudaStream_t stream) {
        if (staged)
          check_cuda(cudaMemcpyAsync(device.get(), host.get(), kBytes, cudaMemcpyHostToDevice, stream),
                     "H2D");
        read_quads<kCopyCheckTag><<<bench.full_grid(), kBlockThreads, 0, stream>>>(
            sums.get(), staged ? device.get() : host.get(), kQuads, touches);
      });
      bench.time({name, touches, {}}, times);
      bench.check(name, static_cast<Word>(total_of_input(kBytes) * static_cast<Word>(touches)), sums.total());
    }
}

}  // namespace coalescope::kernels
