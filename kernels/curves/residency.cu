// C2, C3: a region of growing size that an L2 window shall keep in L2 beside a stream. With hitRatio 1.0 all
// of it is to persist, and beyond the set-aside its lines push each other out; with hitRatio = set-aside /
// region as much of it is to persist as fits.

#include <array>
#include <utility>

#include "kernels/curves/experiments.cuh"
#include "kernels/curves/l2_windows.cuh"

namespace coalescope::kernels {

// What a thread does in a round.
struct Mix {
  const char* name;
  int region_quads, stream_quads;
  bool updates;  // writes back what it reads
  // Every quad of the region belongs to one thread. Otherwise all SMs come by, and L2 keeps a line near the
  // SMs that read it: what both halves of the chip read is there twice.
  bool own;
  std::int64_t stream_bytes;
};
template <int Index>
constexpr Mix kMix{};
template <>
constexpr Mix kMix<0>{"residency", 1, 2, false, false, kStreamBytes};
template <>
constexpr Mix kMix<1>{"residency_own", 1, 2, false, true, kStreamBytes};
template <>
constexpr Mix kMix<2>{"residency_update", 1, 1, true, false, kStreamBytes};
// Little that would wash the region out: here an L2 window can only do harm.
template <>
constexpr Mix kMix<3>{"residency_light", 7, 1, false, true, kStreamBytes / 4};

// Reads a quad, past L1.
template <bool Updates>
__device__ inline Word touch_quad(Word* at) {
  uint4 quad;
  asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(quad.x), "=r"(quad.y), "=r"(quad.z), "=r"(quad.w)
               : "l"(at));
  if constexpr (Updates)
    asm volatile("st.global.cg.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(at), "r"(quad.x), "r"(quad.y),
                 "r"(quad.z), "r"(quad.w)
                 : "memory");
  return quad.x + quad.y + quad.z + quad.w;
}

// Round and round in the region, and once through the stream. A kernel of its own for each point.
template <int MixIndex, int WayIndex, int Index>
__global__ void use_region(Word* sums, Word* region, unsigned region_quads, Word* stream, unsigned rounds) {
  constexpr int kRegion = kMix<MixIndex>.region_quads, kStream = kMix<MixIndex>.stream_quads;
  constexpr bool kUpdates = kMix<MixIndex>.updates;
  const unsigned threads = gridDim.x * blockDim.x;
  Word sum = 0;
  for (unsigned round = 0; round < rounds; ++round) {
#pragma unroll
    for (int i = 0; i < kRegion; ++i) {
      const unsigned at = ((round * kRegion + i) * threads + thread_index()) % region_quads;
      sum += touch_quad<kUpdates>(region + std::int64_t{kQuadWords} * at);
    }
#pragma unroll
    for (int i = 0; i < kStream; ++i) {
      const unsigned at = (round * kStream + i) * threads + thread_index();
      sum += touch_quad<kUpdates>(stream + std::int64_t{kQuadWords} * at);
    }
  }
  sums[thread_index()] = sum;
}

namespace {

// The region in parts of the set-aside.
constexpr std::array kRegions{0.25, 0.5, 0.75, 0.9, 1.0, 1.125, 1.25, 1.5, 2.0, 3.0};
constexpr int kLargest = static_cast<int>(kRegions.size()) - 1;

struct Way {
  const char* suffix;
  L2Window (*l2_window)(Word* region, std::int64_t bytes, std::int64_t set_aside);
  // Which share of the region is held: a model of a cache that throws out what was used longest ago.
  double (*held)(std::int64_t bytes, std::int64_t set_aside);
};

L2Window none(Word*, std::int64_t, std::int64_t) {
  return {};
}
L2Window all(Word* region, std::int64_t bytes, std::int64_t) {
  return {region, bytes, 1};
}
double fitting(std::int64_t bytes, std::int64_t set_aside) {
  return std::min(1.0, static_cast<double>(set_aside) / static_cast<double>(bytes));
}
double all_or_nothing(std::int64_t bytes, std::int64_t set_aside) {
  return bytes <= set_aside ? 1 : 0;
}
L2Window part_of_all(Word* region, std::int64_t bytes, std::int64_t set_aside) {
  return {region, bytes, fitting(bytes, set_aside)};
}
L2Window part_of_set_aside(Word* region, std::int64_t bytes, std::int64_t set_aside) {
  return {region, std::min(bytes, set_aside), fitting(bytes, set_aside)};
}

constexpr int kOff = 0, kFull = 1, kTuned = 2, kFixed = 3;
constexpr std::array kWays{Way{"_off", none, nullptr}, Way{"_full", all, all_or_nothing},
                           Way{"_tuned", part_of_all, fitting}, Way{"_fixed", part_of_set_aside, nullptr}};

struct Setting {
  Word* region;
  Word* stream;
  std::int64_t set_aside;
};

struct Measured {
  std::int64_t region_bytes;
  double bytes;
  Times times;
};

// A kernel with what it was compiled for.
struct Point {
  const Mix* mix;
  int mix_index, way_index, index;
  decltype(&use_region<0, 0, 0>) kernel;
};

template <int MixIndex, int WayIndex, std::size_t... Index>
constexpr auto points_at(std::index_sequence<Index...>) {
  return std::array{
      Point{&kMix<MixIndex>, MixIndex, WayIndex, Index, use_region<MixIndex, WayIndex, Index>}...};
}

Measured times_of(Bench& bench, const Setting& setting, const Point& point) {
  const Mix& mix = *point.mix;
  const unsigned threads = bench.full_grid() * kBlockThreads;
  constexpr std::int64_t kQuadBytes = kQuadWords * kWordBytes;
  auto region_quads =
      static_cast<unsigned>(kRegions[point.index] * static_cast<double>(setting.set_aside) / kQuadBytes);
  if (mix.own) region_quads = std::max(region_quads / threads, 1U) * threads;
  const std::int64_t bytes = region_quads * kQuadBytes;
  const auto rounds = static_cast<unsigned>(mix.stream_bytes / kQuadBytes / mix.stream_quads / threads);
  L2Window l2_window = kWays[point.way_index].l2_window(setting.region, bytes, setting.set_aside);
  l2_window.bytes = std::min(l2_window.bytes, std::int64_t{bench.device().accessPolicyMaxWindowSize});
  SetAside::reset();
  const Sums sums(bench.full_grid());
  Times times = bench.on_gpu(
      15,
      [&](cudaStream_t stream) {
        point.kernel<<<bench.full_grid(), kBlockThreads, 0, stream>>>(sums.get(), setting.region,
                                                                      region_quads, setting.stream, rounds);
      },
      [&](cudaStream_t stream) { set_l2_window(stream, l2_window); });
  bench.on_gpu(1, [](cudaStream_t stream) { set_l2_window(stream, {}); });
  const std::uint64_t words = std::uint64_t{kQuadWords} * rounds * threads;
  const Word expected = sum_of_rounds(std::uint64_t{kQuadWords} * region_quads, words * mix.region_quads) +
                        sum_of_words(0, 1, words * mix.stream_quads);
  bench.check(mix.name, expected, sums.total());
  const double all_words = static_cast<double>(words) * (mix.region_quads + mix.stream_quads);
  return {bytes, all_words * kWordBytes * (mix.updates ? 2 : 1), std::move(times)};
}

void measure_point(Bench& bench, const Setting& setting, std::optional<double> missing_gb_s,
                   const Point& point) {
  if (bench.brief() && point.index % 2 == 1) return;
  const Mix& mix = *point.mix;
  const Way& way = kWays[point.way_index];
  const Measured measured = times_of(bench, setting, point);
  std::optional<double> expected_gb_s;
  if (missing_gb_s && way.held != nullptr) {
    const double missing = 1 - way.held(measured.region_bytes, setting.set_aside);
    expected_gb_s = *missing_gb_s * (mix.region_quads + mix.stream_quads) /
                    (mix.stream_quads + mix.region_quads * missing);
  }
  const std::string kernel = "coalescope::kernels::use_region<" + std::to_string(point.mix_index) + ", " +
                             std::to_string(point.way_index) + ", " + std::to_string(point.index) + ">";
  bench.bandwidth({std::string(mix.name) + way.suffix, static_cast<double>(measured.region_bytes), kernel},
                  measured.bytes, measured.times, expected_gb_s);
}

// What misses in L2 comes at the speed of a region that is far too large for it. That L2 itself has a
// limit is left out, so nothing is expected where hits outweigh misses.
template <int MixIndex, int... WayIndex>
void measure_mix(Bench& bench, const Setting& setting) {
  std::optional<double> missing_gb_s;
  if (kMix<MixIndex>.region_quads <= kMix<MixIndex>.stream_quads) {
    const Measured missing = times_of(
        bench, setting, {&kMix<MixIndex>, MixIndex, kOff, kLargest, use_region<MixIndex, kOff, kLargest>});
    missing_gb_s = missing.bytes / quartiles(missing.times).median;
  }
  const auto measure_way = [&](const auto& points) {
    for (const Point& point : points) measure_point(bench, setting, missing_gb_s, point);
  };
  constexpr auto kIndices = std::make_index_sequence<kRegions.size()>();
  (measure_way(points_at<MixIndex, WayIndex>(kIndices)), ...);
}

template <class Measure>
void with_set_aside(Bench& bench, const char* name, const Measure& measure) {
  if (const auto why = bench.why_no_set_aside()) return bench.skipped({name, {}, {}}, kGbPerSecond, *why);
  const SetAside set_aside(bench);
  bench.figure({"residency_set_aside", {}, {}}, "bytes", "bytes", static_cast<double>(set_aside.bytes()));
  const OnDevice<Word> region =
      filled_array(static_cast<std::int64_t>(kRegions.back() * static_cast<double>(set_aside.bytes())));
  const OnDevice<Word> stream = filled_array(kStreamBytes);
  measure({region.get(), stream.get(), set_aside.bytes()});
}

}  // namespace

void measure_residency(Bench& bench) {
  with_set_aside(bench, "residency_full", [&](const Setting& setting) {
    measure_mix<0, kOff, kFull>(bench, setting);
    measure_mix<1, kOff, kFull>(bench, setting);
    measure_mix<2, kOff, kFull>(bench, setting);
    measure_mix<3, kOff, kFull>(bench, setting);
  });
}

void measure_residency_tuned(Bench& bench) {
  with_set_aside(bench, "residency_tuned", [&](const Setting& setting) {
    measure_mix<0, kTuned, kFixed>(bench, setting);
    measure_mix<1, kTuned>(bench, setting);
    measure_mix<2, kTuned>(bench, setting);
    measure_mix<3, kTuned>(bench, setting);
  });
}

}  // namespace coalescope::kernels
