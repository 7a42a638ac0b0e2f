// E1: what one kernel gets out of DRAM and L2, and how that falls with fewer or more sectors a request. E2:
// what a launch costs.

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "kernels/curves/experiments.cuh"
#include "kernels/curves/reading.cuh"

namespace coalescope::kernels {

__global__ void write_quads(Word* out, unsigned quads) {
  const unsigned step = gridDim.x * blockDim.x;
  for (unsigned i = thread_index(); i < quads; i += step) {
    const std::int64_t first = std::int64_t{kQuadWords} * i;
    reinterpret_cast<uint4*>(out)[i] = {input_word(first), input_word(first + 1), input_word(first + 2),
                                        input_word(first + 3)};
  }
}

__global__ void copy_quads(Word* out, const Word* in, unsigned quads) {
  const unsigned step = gridDim.x * blockDim.x;
  for (unsigned i = thread_index(); i < quads; i += step)
    reinterpret_cast<uint4*>(out)[i] = __ldcs(reinterpret_cast<const uint4*>(in) + i);
}

// A request of a warp covers `Sectors` sectors that lie together, and no other request does: lane l takes
// word l * Sectors / 4 of them. So all bytes that are carried are sectors x 32, whatever share was asked for.
// The passes are one stream: were each a loop of its own, a warp had few requests under way in small arrays,
// and the figure was of latency (L2 gave an H100 4.2 TB/s, and gives 7.7 so).
template <int Sectors, int Level>
__global__ void read_sectors(Word* sums, const Word* in, unsigned requests, unsigned in_all) {
  constexpr unsigned kAtOnce = 8;
  const unsigned warps = gridDim.x * blockDim.x / 32;
  const Word* const own = in + threadIdx.x % 32 * Sectors / 4;
  const auto load = [&](unsigned request) {  // there is a power of two of them
    return load_word(own + std::int64_t{request & (requests - 1)} * (8 * Sectors));
  };
  Word sum = 0;
  unsigned next = thread_index() / 32;
  for (; next + (kAtOnce - 1) * warps < in_all; next += kAtOnce * warps) {
    Word words[kAtOnce];
#pragma unroll
    for (unsigned k = 0; k < kAtOnce; ++k) words[k] = load(next + k * warps);
#pragma unroll
    for (unsigned k = 0; k < kAtOnce; ++k) sum += words[k];
  }
  for (; next < in_all; next += warps) sum += load(next);
  sums[thread_index()] = sum;
}

__global__ void do_nothing() {}

namespace {

constexpr int kCeilingTag = -1, kCheckTag = -2;
constexpr int kResidentPasses = 64;
constexpr int kDramLevel = 0, kL2Level = 1, kCeilingLevel = 2;

void read_dram(Bench& bench, const Word* words) {
  const Sums sums(bench.full_grid());
  const auto quads = static_cast<unsigned>(kStreamBytes / kWordBytes / kQuadWords);
  const Times times = bench.on_gpu(31, [&](cudaStream_t stream) {
    read_quads<kCeilingTag><<<bench.full_grid(), kBlockThreads, 0, stream>>>(sums.get(), words, quads, 1);
  });
  bench.bandwidth({"dram_read", {}, {}}, kStreamBytes, times);
  bench.check("dram_read", sum_of_words(0, 1, kStreamBytes / kWordBytes), sums.total());
}

// What the data sheet promises: two transfers a clock over the whole bus.
void theoretical_bandwidth(Bench& bench) {
  int device = 0, clock_khz = 0, bus_bits = 0;
  check_cuda(cudaGetDevice(&device), "cudaGetDevice");
  check_cuda(cudaDeviceGetAttribute(&clock_khz, cudaDevAttrMemoryClockRate, device),
             "cudaDeviceGetAttribute");
  check_cuda(cudaDeviceGetAttribute(&bus_bits, cudaDevAttrGlobalMemoryBusWidth, device),
             "cudaDeviceGetAttribute");
  const Point point{"dram_theoretical", {}, {}};
  if (clock_khz > 0 && bus_bits > 0)
    bench.figure(point, kGbPerSecond, "GB/s", 2.0 * clock_khz * 1e3 * bus_bits / 8 / 1e9);
  else
    bench.skipped(point, kGbPerSecond, "the driver names no clock or no width of the memory bus");
}

Word total_of(const Bench& bench, const Word* words, std::int64_t bytes) {
  const Sums sums(bench.full_grid());
  read_quads<kCheckTag><<<bench.full_grid(), kBlockThreads>>>(
      sums.get(), words, static_cast<unsigned>(bytes / kWordBytes / kQuadWords), 1);
  return sums.total();
}

template <int Sectors, int Level>
void read_by_sectors(Bench& bench, const Point& point, const Word* words, std::int64_t bytes, int passes) {
  const Sums sums(bench.full_grid());
  const auto requests = static_cast<std::uint64_t>(bytes / (32 * Sectors));
  static_assert(
      std::has_single_bit(static_cast<std::uint64_t>(kStreamBytes)));  // and resident_bytes() halves
  const Times times = bench.on_gpu(21, [&](cudaStream_t stream) {
    read_sectors<Sectors, Level><<<bench.full_grid(), kBlockThreads, 0, stream>>>(
        sums.get(), words, static_cast<unsigned>(requests), static_cast<unsigned>(requests) * passes);
  });
  bench.bandwidth(point, static_cast<double>(bytes) * passes, times);
  Word expected = 0;
  for (int lane = 0; lane < 32; ++lane)
    expected += sum_of_words(static_cast<std::uint64_t>(lane * Sectors / 4), 8 * Sectors, requests);
  bench.check(point.name, static_cast<Word>(expected * static_cast<Word>(passes)), sums.total());
}

template <int Level, int... Log2>
void points(Bench& bench, const char* name, std::int64_t bytes, int passes,
            std::integer_sequence<int, Log2...>) {
  const OnDevice<Word> words = filled_array(bytes);
  (read_by_sectors<1 << Log2, Level>(bench, {name, 1 << Log2, {}}, words.get(), bytes, passes), ...);
}

}  // namespace

void measure_ceilings(Bench& bench) {
  const OnDevice<Word> words = filled_array(kStreamBytes);
  theoretical_bandwidth(bench);
  read_dram(bench, words.get());
  // Requests of one line each are what the way from L2 carries most of.
  read_by_sectors<4, kCeilingLevel>(bench, {"l2_read", {}, {}}, words.get(), resident_bytes(bench),
                                    kResidentPasses);

  constexpr std::int64_t kHalf = kStreamBytes / 2;
  const auto quads = static_cast<unsigned>(kHalf / kWordBytes / kQuadWords);
  Word* const second = words.get() + kHalf / kWordBytes;
  const Times copied = bench.on_gpu(31, [&](cudaStream_t stream) {
    copy_quads<<<bench.full_grid(), kBlockThreads, 0, stream>>>(second, words.get(), quads);
  });
  bench.bandwidth({"dram_copy", {}, {}}, 2.0 * kHalf, copied);
  const Word total = sum_of_words(0, 1, kHalf / kWordBytes);
  bench.check("dram_copy", total, total_of(bench, second, kHalf));

  check_cuda(cudaMemset(words.get(), 0, kStreamBytes), "cudaMemset");
  const Times written = bench.on_gpu(31, [&](cudaStream_t stream) {
    write_quads<<<bench.full_grid(), kBlockThreads, 0, stream>>>(words.get(), 2 * quads);
  });
  bench.bandwidth({"dram_write", {}, {}}, kStreamBytes, written);
  bench.check("dram_write", sum_of_words(0, 1, kStreamBytes / kWordBytes),
              total_of(bench, words.get(), kStreamBytes));
}

void measure_sectors(Bench& bench) {
  constexpr auto kPowers = std::make_integer_sequence<int, 6>();
  points<kDramLevel>(bench, "dram_sectors", kStreamBytes, 1, kPowers);
  points<kL2Level>(bench, "l2_sectors", resident_bytes(bench), kResidentPasses, kPowers);
}

void measure_launches(Bench& bench) {
  constexpr int kLaunches = 1000;
  const Stream stream;
  const Times queued = bench.on_host(31, [&] {
    for (int i = 0; i < kLaunches; ++i) do_nothing<<<1, 32, 0, stream>>>();
    stream.wait();
  });
  bench.time({"queued_launch", {}, {}}, divided(queued, kLaunches));
  const Times waited = bench.on_host(1000, [&] {
    do_nothing<<<1, 32, 0, stream>>>();
    stream.wait();
  });
  bench.time({"launch_and_wait", {}, {}}, waited);
}

}  // namespace coalescope::kernels
