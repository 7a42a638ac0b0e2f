// C4: lines that persist after their use take L2 away from what comes later. C5: L2 windows that are open at
// once share one set-aside; an L2 window may also belong to the kernel node of a graph.

#include <array>
#include <utility>

#include "kernels/curves/experiments.cuh"
#include "kernels/curves/l2_windows.cuh"

namespace coalescope::kernels {
namespace {

constexpr int kUseTag = 200, kLaterTag = 210, kResetTag = 220;
constexpr int kUsePasses = 8, kLaterPasses = 8;

struct After {
  const char* name;
  bool persists;    // the first kernel had an L2 window
  bool stays_open;  // which is still there when the second one runs
  void (*give_back)(cudaStream_t, const Word* region, unsigned quads, Word* sums, unsigned grid);
};

void nothing(cudaStream_t, const Word*, unsigned, Word*, unsigned) {}

void as_normal(cudaStream_t stream, const Word* region, unsigned quads, Word* sums, unsigned grid) {
  set_l2_window(stream, {const_cast<Word*>(region), std::int64_t{quads} * kQuadWords * kWordBytes, 1,
                         cudaAccessPropertyNormal});
  read_quads<kResetTag><<<grid, kBlockThreads, 0, stream>>>(sums, region, quads, 1);
}

void reset_all(cudaStream_t stream, const Word*, unsigned, Word*, unsigned) {
  check_cuda(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  SetAside::reset();
}

void no_set_aside(cudaStream_t stream, const Word* region, unsigned quads, Word* sums, unsigned grid) {
  reset_all(stream, region, quads, sums, grid);
  SetAside::use(0);
}

constexpr std::array kAfter{After{"after_no_window", false, false, nothing},
                            After{"after_window_left_on", true, true, nothing},
                            After{"after_use_never_reset", true, false, nothing},
                            After{"after_use_normal", true, false, as_normal},
                            After{"after_use_reset", true, false, reset_all},
                            After{"after_use_limit_zero", true, false, no_set_aside}};

struct UsedAndLater {
  Word* region;
  unsigned region_quads;
  const Word* later;
  unsigned later_quads;
  std::int64_t set_aside;
};

template <int Index>
void measure_after(Bench& bench, const UsedAndLater& arrays) {
  const After& after = kAfter[Index];
  const Sums sums(bench.full_grid());
  const unsigned grid = bench.full_grid();
  const std::int64_t region_bytes = std::int64_t{arrays.region_quads} * kQuadWords * kWordBytes;
  const auto prepare = [&](cudaStream_t stream) {
    // Nothing persists any more. Not by the calls that say so: a window of the recorder that meets one of
    // them is lost.
    as_normal(stream, arrays.region, arrays.region_quads, sums.get(), grid);
    if (after.give_back == no_set_aside) SetAside::use(static_cast<std::size_t>(arrays.set_aside));
    set_l2_window(stream, after.persists ? L2Window{arrays.region, region_bytes} : L2Window{});
    read_quads<kUseTag>
        <<<grid, kBlockThreads, 0, stream>>>(sums.get(), arrays.region, arrays.region_quads, kUsePasses);
    after.give_back(stream, arrays.region, arrays.region_quads, sums.get(), grid);
    if (!after.stays_open) set_l2_window(stream, {});
  };
  SetAside::use(static_cast<std::size_t>(arrays.set_aside));
  SetAside::reset();
  const Times times = bench.on_gpu(
      31,
      [&](cudaStream_t stream) {
        read_quads<kLaterTag + Index>
            <<<grid, kBlockThreads, 0, stream>>>(sums.get(), arrays.later, arrays.later_quads, kLaterPasses);
      },
      prepare);
  const auto words = std::uint64_t{arrays.later_quads} * kQuadWords;
  bench.bandwidth(
      {after.name, {}, "coalescope::kernels::read_quads<" + std::to_string(kLaterTag + Index) + ">"},
      static_cast<double>(words) * kWordBytes * kLaterPasses, times);
  bench.check(after.name, static_cast<Word>(sum_of_words(0, 1, words) * kLaterPasses), sums.total());
  bench.on_gpu(1, [](cudaStream_t stream) { set_l2_window(stream, {}); });
}

template <std::size_t... Index>
void measure_all_after(Bench& bench, const UsedAndLater& arrays, std::index_sequence<Index...>) {
  (measure_after<static_cast<int>(Index)>(bench, arrays), ...);
}

// C5. Each of n streams has a region of half the set-aside and a part of what streams by.
constexpr unsigned kTurns = kStreamBytes / kWordBytes / kQuadWords / 2;
constexpr int kMostStreams = 8;
constexpr int kConcurrentVariant = 10;

struct Sharing {
  const char* name;
  double (*hit_ratio)(int streams);  // 0: no L2 window
};
constexpr std::array kSharings{Sharing{"windows_off", [](int) { return 0.0; }},
                               Sharing{"windows_full", [](int) { return 1.0; }},
                               Sharing{"windows_shared", [](int n) { return std::min(1.0, 2.0 / n); }}};

struct Regions {
  std::array<OnDevice<Word>, kMostStreams> of_stream;
  unsigned quads = 0;
};

template <int Way>
void measure_sharing(Bench& bench, const Regions& regions, const Word* data, int count) {
  const double hit_ratio = kSharings[Way].hit_ratio(count);
  const unsigned grid = bench.full_grid() / static_cast<unsigned>(count);
  const unsigned turns = kTurns / static_cast<unsigned>(count);
  const std::int64_t bytes = std::int64_t{regions.quads} * kQuadWords * kWordBytes;
  const std::array<Stream, kMostStreams> streams;
  const Sums sums(grid * static_cast<unsigned>(count));
  SetAside::reset();
  for (int i = 0; i < count; ++i)
    if (hit_ratio > 0) set_l2_window(streams[i], {regions.of_stream[i].get(), bytes, hit_ratio});
  cudaEvent_t began = nullptr, ended = nullptr;
  check_cuda(cudaEventCreateWithFlags(&began, cudaEventDisableTiming), "cudaEventCreate");
  check_cuda(cudaEventCreateWithFlags(&ended, cudaEventDisableTiming), "cudaEventCreate");
  const Times times = bench.on_gpu(21, [&](cudaStream_t all) {
    check_cuda(cudaEventRecord(began, all), "cudaEventRecord");
    for (int i = 0; i < count; ++i) {
      check_cuda(cudaStreamWaitEvent(streams[i], began), "cudaStreamWaitEvent");
      read_beside_stream<kConcurrentVariant, Way><<<grid, kBlockThreads, 0, streams[i]>>>(
          sums.get() + static_cast<std::size_t>(i) * grid * kBlockThreads, regions.of_stream[i].get(),
          regions.quads, data + std::int64_t{2} * kQuadWords * turns * i, turns);
      check_cuda(cudaEventRecord(ended, streams[i]), "cudaEventRecord");
      check_cuda(cudaStreamWaitEvent(all, ended), "cudaStreamWaitEvent");
    }
  });
  cudaEventDestroy(began);
  cudaEventDestroy(ended);
  bench.bandwidth({kSharings[Way].name, count, {}}, bytes_read(turns) * count, times);
  Word expected = sum_of_words(0, 1, std::uint64_t{2} * kQuadWords * turns * static_cast<unsigned>(count));
  for (int i = 0; i < count; ++i)
    expected += sum_of_rounds(std::uint64_t{kQuadWords} * regions.quads, std::uint64_t{kQuadWords} * turns);
  bench.check(kSharings[Way].name, expected, sums.total());
}

}  // namespace

void measure_after_use(Bench& bench) {
  if (const auto why = bench.why_no_set_aside()) {
    for (const After& after : kAfter) bench.skipped({after.name, {}, {}}, kGbPerSecond, *why);
    return;
  }
  const SetAside set_aside(bench);
  // As much as fits L2 while nothing persists, and does not while the set-aside is taken.
  const std::int64_t later_bytes = std::int64_t{bench.device().l2CacheSize} / 2 / kMiB * kMiB;
  const OnDevice<Word> region = filled_array(set_aside.bytes());
  const OnDevice<Word> later = filled_array(later_bytes);
  const auto quads = [](std::int64_t bytes) {
    return static_cast<unsigned>(bytes / kWordBytes / kQuadWords);
  };
  measure_all_after(
      bench, {region.get(), quads(set_aside.bytes()), later.get(), quads(later_bytes), set_aside.bytes()},
      std::make_index_sequence<kAfter.size()>());
}

void measure_concurrent_l2_windows(Bench& bench) {
  if (const auto why = bench.why_no_set_aside()) {
    for (const Sharing& sharing : kSharings) bench.skipped({sharing.name, {}, {}}, kGbPerSecond, *why);
    return;
  }
  const SetAside set_aside(bench);
  Regions regions;
  regions.quads = static_cast<unsigned>(set_aside.bytes() / 2 / kWordBytes / kQuadWords);
  for (auto& region : regions.of_stream)
    region = filled_array(std::int64_t{regions.quads} * kQuadWords * kWordBytes);
  const OnDevice<Word> data = filled_array(kStreamBytes);
  for (int streams = 1; streams <= kMostStreams; streams *= 2) {
    measure_sharing<0>(bench, regions, data.get(), streams);
    measure_sharing<1>(bench, regions, data.get(), streams);
    measure_sharing<2>(bench, regions, data.get(), streams);
  }
}

void measure_graph_l2_window(Bench& bench) {
  if (const auto why = bench.why_no_set_aside()) {
    bench.skipped({"graph_window", {}, {}}, kGbPerSecond, *why);
    return;
  }
  const SetAside set_aside(bench);
  const auto quads = static_cast<unsigned>(set_aside.bytes() * 3 / 4 / kWordBytes / kQuadWords);
  const OnDevice<Word> region = filled_array(set_aside.bytes());
  const OnDevice<Word> data = filled_array(kStreamBytes);
  const Sums sums(bench.full_grid());
  for (const bool with_l2_window : {false, true}) {
    const char* const name = with_l2_window ? "graph_window" : "graph_no_window";
    const Stream stream;
    cudaGraph_t graph = nullptr;
    check_cuda(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
    read_beside_stream<kConcurrentVariant, 9><<<bench.full_grid(), kBlockThreads, 0, stream>>>(
        sums.get(), region.get(), quads, data.get(), kTurns);
    check_cuda(cudaStreamEndCapture(stream, &graph), "cudaStreamEndCapture");
    cudaGraphNode_t node = nullptr;
    std::size_t nodes = 1;
    check_cuda(cudaGraphGetNodes(graph, &node, &nodes), "cudaGraphGetNodes");
    cudaLaunchAttributeValue value{};
    value.accessPolicyWindow = policy_of(
        with_l2_window ? L2Window{region.get(), std::int64_t{quads} * kQuadWords * kWordBytes} : L2Window{});
    check_cuda(cudaGraphKernelNodeSetAttribute(node, cudaLaunchAttributeAccessPolicyWindow, &value),
               "cudaGraphKernelNodeSetAttribute(accessPolicyWindow)");
    cudaGraphExec_t launchable = nullptr;
    check_cuda(cudaGraphInstantiate(&launchable, graph, 0), "cudaGraphInstantiate");
    SetAside::reset();
    const Times times = bench.on_gpu(
        21, [&](cudaStream_t on) { check_cuda(cudaGraphLaunch(launchable, on), "cudaGraphLaunch"); });
    bench.bandwidth({name, {}, {}}, bytes_read(kTurns), times);
    bench.check(name, total_read(quads, kTurns), sums.total());
    cudaGraphExecDestroy(launchable);
    cudaGraphDestroy(graph);
  }
}

}  // namespace coalescope::kernels
