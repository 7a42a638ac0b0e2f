// C2, C3: a region of growing size that a window shall keep in L2 beside a stream. With hitRatio 1.0 all of
// it is to persist, and beyond the set-aside its lines push each other out; with hitRatio = set-aside /
// region as much of it is to persist as fits.

#include <array>
#include <utility>

#include "kernels/curves/experiments.cuh"
#include "kernels/curves/windows.cuh"

namespace coalescope::kernels {
namespace {

// The region in parts of the set-aside.
constexpr std::array kRegions{0.25, 0.5, 0.75, 0.9, 1.0, 1.125, 1.25, 1.5, 2.0, 3.0};
constexpr unsigned kTurns = kStreamBytes / kWordBytes / kQuadWords / 2;

struct Way {
  const char* name;
  Window (*window)(Word* region, std::int64_t bytes, std::int64_t set_aside);
};

Window none(Word*, std::int64_t, std::int64_t) {
  return {};
}
Window all(Word* region, std::int64_t bytes, std::int64_t) {
  return {region, bytes, 1};
}
double fitting(std::int64_t bytes, std::int64_t set_aside) {
  return std::min(1.0, static_cast<double>(set_aside) / static_cast<double>(bytes));
}
Window part_of_all(Word* region, std::int64_t bytes, std::int64_t set_aside) {
  return {region, bytes, fitting(bytes, set_aside)};
}
Window part_of_set_aside(Word* region, std::int64_t bytes, std::int64_t set_aside) {
  return {region, std::min(bytes, set_aside), fitting(bytes, set_aside)};
}

constexpr std::array kWays{Way{"residency_off", none}, Way{"residency_full", all},
                           Way{"residency_tuned", part_of_all}, Way{"residency_fixed", part_of_set_aside}};

struct Setting {
  Word* region;
  const Word* stream;
  std::int64_t set_aside;
};

template <int Variant, int Index>
void measure_point(Bench& bench, const Setting& setting) {
  if (bench.brief() && Index % 2 == 1) return;
  const auto region_quads = static_cast<unsigned>(kRegions[Index] * static_cast<double>(setting.set_aside) /
                                                  (kQuadWords * kWordBytes));
  const std::int64_t bytes = std::int64_t{region_quads} * kQuadWords * kWordBytes;
  Window window = kWays[Variant].window(setting.region, bytes, setting.set_aside);
  window.bytes = std::min(window.bytes, std::int64_t{bench.device().accessPolicyMaxWindowSize});
  SetAside::reset();
  const Sums sums(bench.full_grid());
  const Times times = bench.on_gpu(
      11,
      [&](cudaStream_t stream) {
        read_beside_stream<Variant, Index><<<bench.full_grid(), kBlockThreads, 0, stream>>>(
            sums.get(), setting.region, region_quads, setting.stream, kTurns);
      },
      [&](cudaStream_t stream) { set_window(stream, window); });
  bench.bandwidth({kWays[Variant].name, static_cast<double>(bytes),
                   "coalescope::kernels::read_beside_stream<" + std::to_string(Variant) + ", " +
                       std::to_string(Index) + ">"},
                  bytes_read(kTurns), times);
  bench.check(kWays[Variant].name, total_read(region_quads, kTurns), sums.total());
  bench.on_gpu(1, [](cudaStream_t stream) { set_window(stream, {}); });
}

template <int Variant, std::size_t... Index>
void measure_way(Bench& bench, const Setting& setting, std::index_sequence<Index...>) {
  (measure_point<Variant, static_cast<int>(Index)>(bench, setting), ...);
}

template <int... Variant>
void measure_ways(Bench& bench, std::integer_sequence<int, Variant...>) {
  if (const auto why = bench.why_no_set_aside()) {
    for (const int variant : {Variant...}) bench.skipped({kWays[variant].name, {}, {}}, kGbPerSecond, *why);
    return;
  }
  const SetAside set_aside(bench);
  bench.figure({"residency_set_aside", {}, {}}, "bytes", "bytes", static_cast<double>(set_aside.bytes()));
  const OnDevice<Word> region =
      filled_array(static_cast<std::int64_t>(kRegions.back() * static_cast<double>(set_aside.bytes())));
  const OnDevice<Word> stream = filled_array(kStreamBytes);
  const Setting setting{region.get(), stream.get(), set_aside.bytes()};
  (measure_way<Variant>(bench, setting, std::make_index_sequence<kRegions.size()>()), ...);
}

}  // namespace

void measure_residency(Bench& bench) {
  measure_ways(bench, std::integer_sequence<int, 0, 1>());
}

void measure_residency_tuned(Bench& bench) {
  measure_ways(bench, std::integer_sequence<int, 2, 3>());
}

}  // namespace coalescope::kernels
