// cupti_facts FACT CODE_FILE: asks CUPTI itself whether one of the facts holds that the recorder and the
// stand-in are built on. The same program runs against the stand-in (ctest -L standin) and on a GPU
// (tests/gpu/cupti_facts.sh): what the stand-in claims is what the GPU does. Each fact has a process of its
// own, because some can be tried only once.

#include "tests/standin/facts.h"

#include <cmath>
#include <cstring>
#include <fcntl.h>
#include <map>
#include <set>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/standin/facts_sass.h"

namespace {

using namespace facts;
using model::MetricId;
using model::Phase;

cupti::CuptiApi api;
std::string chip;
constexpr auto kKernels = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;

const cupti::RangeConfig& config_of(const std::vector<Phase>& phases) {
  auto config = cupti::build_range_config(api, chip, phases);
  must(config.has_value(), config ? "" : config.error().text());
  return *new cupti::RangeConfig(std::move(*config));
}

// Activity records, of which only the kernels' names are kept, and the number of memory sets.
std::map<std::string, int> names;
int sets = 0;
void CUPTIAPI give(std::uint8_t** buffer, std::size_t* size, std::size_t* most) {
  *size = 1 << 20;
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(8, *size));
  std::memset(*buffer, 0, *size);
  *most = 0;
}
void CUPTIAPI take(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t, std::size_t bytes) {
  CUpti_Activity* record = nullptr;
  while (api.cuptiActivityGetNextRecord(buffer, bytes, &record) == CUPTI_SUCCESS) {
    if (record->kind == kKernels) ++names[reinterpret_cast<CUpti_ActivityKernel10*>(record)->name];
    if (record->kind == CUPTI_ACTIVITY_KIND_MEMSET) ++sets;
  }
  std::free(buffer);
}
void trace_kernels() {
  std::uint8_t yes = 1;
  std::size_t size = sizeof yes;
  must_do(api.cuptiActivitySetAttribute(CUPTI_ACTIVITY_ATTR_MEM_ALLOCATION_TYPE_HOST_PINNED, &size, &yes),
          "cuptiActivitySetAttribute");
  must_do(api.cuptiActivityRegisterCallbacks(&give, &take), "cuptiActivityRegisterCallbacks");
  must_do(api.cuptiActivityEnable(kKernels), "cuptiActivityEnable");
}

double patched_loads(Gpu& gpu, Profiler& profiler) {
  profiler.reset();
  must_do(profiler.start(), "cuptiRangeProfilerStart");
  gpu.launch();
  profiler.stop();
  profiler.decode();
  must(profiler.ranges() == 1, "a launch is a range");
  return profiler.value(0, MetricId::global_load_requests);
}

void patched_beside_kernel_activity_is_zero(Gpu& gpu) {
  Profiler profiler(api, gpu.context, config_of({Phase::bytes}), 4);
  must(patched_loads(gpu, profiler) == Gpu::kWarps, "a patched counter is right without kernel activity");
  trace_kernels();
  must(patched_loads(gpu, profiler) == 0, "a patched counter is zero beside kernel activity");
  must_do(api.cuptiActivityDisable(kKernels), "cuptiActivityDisable");
  must(patched_loads(gpu, profiler) == Gpu::kWarps, "it is right again when the activity is off");
}

void memory_sets_have_no_records_while_copies_have_none(Gpu& gpu) {
  CUdeviceptr memory = 0;
  must_do(cuMemAlloc(&memory, 4096), "cuMemAlloc");
  const auto set_memory = [&](int times) {
    for (int i = 0; i < times; ++i) must_do(cuMemsetD8Async(memory, 0, 4096, gpu.stream), "cuMemsetD8Async");
    must_do(cuCtxSynchronize(), "cuCtxSynchronize");
  };
  trace_kernels();
  for (const auto kind : {CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMSET})
    must_do(api.cuptiActivityEnable(kind), "cuptiActivityEnable");
  set_memory(1);
  must_do(api.cuptiActivityDisable(kKernels), "cuptiActivityDisable");
  set_memory(2);
  must_do(api.cuptiActivityDisable(CUPTI_ACTIVITY_KIND_MEMCPY), "cuptiActivityDisable");
  set_memory(4);
  must_do(api.cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMCPY), "cuptiActivityEnable");
  set_memory(8);
  must_do(api.cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED), "cuptiActivityFlushAll");
  must(sets == 1 + 2 + 8, "only sets beside records of copies have records, here " + std::to_string(sets));
}

void copies_are_no_ranges(Gpu& gpu) {
  Profiler profiler(api, gpu.context, config_of({Phase::traffic}), 8);
  CUdeviceptr memory = 0;
  const std::vector<char> bytes(4096);
  must_do(cuMemAlloc(&memory, bytes.size()), "cuMemAlloc");
  must_do(profiler.start(), "cuptiRangeProfilerStart");
  gpu.launch();
  must_do(cuMemcpyHtoD(memory, bytes.data(), bytes.size()), "cuMemcpyHtoD");
  gpu.launch();
  profiler.stop();
  profiler.decode();
  must(profiler.ranges() == 2, "a copy in a window is no range");
}

// A launch in a range of its own, without kernel activity; those before and after it are in none.
void launch_between_others(Gpu& gpu, Profiler& profiler, const std::string& range) {
  gpu.launch(2);
  must_do(api.cuptiActivityDisable(kKernels), "cuptiActivityDisable");
  profiler.push(range);
  gpu.launch();
  profiler.pop();
  must_do(api.cuptiActivityEnable(kKernels), "cuptiActivityEnable");
  gpu.launch(3);
}

void must_hold(Profiler& profiler, std::size_t ranges, MetricId metric, double value) {
  must_do(cuCtxSynchronize(), "cuCtxSynchronize");
  profiler.stop();
  must(profiler.decode() == 0, "no range is dropped");
  must(profiler.ranges() == ranges, "there are as many ranges as were pushed");
  for (std::size_t i = 0; i < ranges; ++i)
    must(profiler.value(i, metric) == value, "range " + std::to_string(i) + " holds its launch alone, here " +
                                                 std::to_string(profiler.value(i, metric)));
}

void user_ranges_hold_what_is_launched_in_them(Gpu& gpu) {
  trace_kernels();
  Profiler profiler(api, gpu.context, config_of({Phase::bytes}), 8, CUPTI_UserRange);
  must_do(profiler.start(), "cuptiRangeProfilerStart");
  for (int i = 0; i < 4; ++i) launch_between_others(gpu, profiler, std::to_string(i));
  must_hold(profiler, 4, MetricId::global_load_requests, Gpu::kWarps);
  must_do(api.cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED), "cuptiActivityFlushAll");
  must(names["strided_by_driver"] == 20, "launches outside of ranges are recorded, and only these");
}

void a_user_window_survives_stream_captures_graphs_and_code(Gpu& gpu) {
  trace_kernels();
  Profiler profiler(api, gpu.context, config_of({Phase::bytes}), 8, CUPTI_UserRange);
  auto* const graph = gpu.graph();
  must_do(profiler.start(), "cuptiRangeProfilerStart");
  for (int i = 0; i < 4; ++i) {
    launch_between_others(gpu, profiler, std::to_string(i));
    must_do(cuGraphLaunch(gpu.graph(), gpu.stream), "a graph made in the window");
    must_do(cuGraphLaunch(graph, gpu.stream), "a graph made before");
    must_do(cuCtxSynchronize(), "cuCtxSynchronize");
    gpu.load();  // what was patched stays
  }
  must_hold(profiler, 4, MetricId::global_load_requests, Gpu::kWarps);
}

void a_graph_in_a_user_range_counts_by_hardware_only(Gpu& gpu) {
  auto* const graph = gpu.graph();
  for (const auto& [phase, metric] : {std::pair{Phase::bytes, MetricId::global_load_requests},
                                      std::pair{Phase::traffic, MetricId::l2_read_sectors}}) {
    Profiler profiler(api, gpu.context, config_of({phase}), 4, CUPTI_UserRange);
    must_do(profiler.start(), "cuptiRangeProfilerStart");
    profiler.push("a launch");
    gpu.launch();
    profiler.pop();
    profiler.push("a graph");
    must_do(cuGraphLaunch(graph, gpu.stream), "cuGraphLaunch");
    profiler.pop();
    must_do(cuCtxSynchronize(), "cuCtxSynchronize");
    profiler.stop();
    profiler.decode();
    must(profiler.value(0, metric) > 0, "the launch is counted");
    must(profiler.value(1, metric) == (phase == Phase::bytes ? 0 : profiler.value(0, metric)),
         "hardware counters see the graph's kernel, patched ones do not");
    profiler.disable();
  }
}

void code_that_was_not_patched_may_go(Gpu& gpu) {
  Profiler profiler(api, gpu.context, config_of({Phase::bytes}), 4);
  for (int i = 0; i < 5; ++i) {
    gpu.launch();
    gpu.unload();
    gpu.load();
  }
  must(patched_loads(gpu, profiler) == Gpu::kWarps, "the code that came last is patched and counts");
}

// Seen to end in a segmentation fault, mostly in the second round; the range profiler may even be disabled
// before the unload.
void patching_after_patched_code_is_gone_fails(Gpu& gpu) {
  Profiler profiler(api, gpu.context, config_of({Phase::bytes}), 4);
  for (int i = 0; i < 200; ++i) {
    must(patched_loads(gpu, profiler) == Gpu::kWarps, "the module counts");
    gpu.unload();
    gpu.load();
  }
}

void second_configuration_is_ignored(Gpu& gpu) {
  Profiler profiler(api, gpu.context, config_of({Phase::bytes}), 4);
  must(patched_loads(gpu, profiler) == Gpu::kWarps, "the first configuration counts");
  must_do(profiler.configure(config_of({Phase::hits})), "a second cuptiRangeProfilerSetConfig");
  must(patched_loads(gpu, profiler) == Gpu::kWarps, "the first configuration stays");
}

void start_breaks_a_stream_capture(Gpu& gpu) {
  Profiler profiler(api, gpu.context, config_of({Phase::traffic}), 4);
  CUgraph graph = nullptr;
  must_do(cuStreamBeginCapture(gpu.stream, CU_STREAM_CAPTURE_MODE_GLOBAL), "cuStreamBeginCapture");
  const auto answer = profiler.start();
  must(answer != CUPTI_SUCCESS, "Start fails while a stream captures, here with " + std::to_string(answer));
  must(cuStreamEndCapture(gpu.stream, &graph) != CUDA_SUCCESS, "the stream capture is lost");
}

void a_graph_is_one_range_without_a_number(Gpu& gpu) {
  Profiler profiler(api, gpu.context, config_of({Phase::bytes}), 4);
  auto* const graph = gpu.graph();
  must_do(profiler.start(), "cuptiRangeProfilerStart");
  must_do(cuGraphLaunch(graph, gpu.stream), "cuGraphLaunch");
  profiler.stop();
  profiler.decode();
  must(profiler.ranges() == 1, "a graph launch is one range");
  must(std::isnan(profiler.value(0, MetricId::global_load_requests)), "its value is no number");
}

void passes_come_in_turn(Gpu& gpu) {
  Profiler profiler(api, gpu.context, config_of({Phase::bytes, Phase::traffic, Phase::hits}), 4);
  const MetricId order[] = {MetricId::l2_read_sectors, MetricId::l2_hit_sectors,
                            MetricId::global_load_requests};
  for (std::size_t window = 0; window < 7; ++window) {
    profiler.reset();
    must_do(profiler.start(), "cuptiRangeProfilerStart");
    gpu.launch();
    must(profiler.stop() % 3 == (window + 1) % 3, "Stop tells the number of the next pass");
    profiler.decode();
    for (std::size_t pass = 0; pass < 3; ++pass)
      must(std::isfinite(profiler.value(0, order[pass])) == (pass == window % 3),
           "window " + std::to_string(window) + " reads its own pass alone, here " +
               std::string(model::metric(order[pass]).key));
  }
}

void ranges_beyond_the_image_are_lost_uncounted(Gpu& gpu) {
  Profiler profiler(api, gpu.context, config_of({Phase::bytes}), 4);
  must_do(profiler.start(), "cuptiRangeProfilerStart");
  gpu.launch(6);
  profiler.stop();
  const auto dropped = profiler.decode();
  must(profiler.ranges() == 4, "four ranges of six are there where there is room for four, here " +
                                   std::to_string(profiler.ranges()));
  must(dropped == 0, "the two others are not counted as dropped, here " + std::to_string(dropped) + " are");
}

void a_second_object_takes_the_place(Gpu& gpu) {
  Profiler first(api, gpu.context, config_of({Phase::bytes}), 4);
  Profiler second(api, gpu.context, config_of({Phase::bytes}), 4);
  must(patched_loads(gpu, second) == Gpu::kWarps, "the second object's window is right");
  must(first.start() == CUPTI_ERROR_INVALID_PARAMETER, "the first one's Start then fails");
}

void hardware_windows_show_their_waits(Gpu& gpu) {
  trace_kernels();
  Profiler profiler(api, gpu.context, config_of({Phase::traffic}), 4);
  must_do(profiler.start(), "cuptiRangeProfilerStart");
  gpu.launch(3);
  profiler.stop();
  must_do(cuCtxSynchronize(), "cuCtxSynchronize");
  must_do(api.cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED), "cuptiActivityFlushAll");
  must(names["strided_by_driver"] == 3, "the launches are traced");
  must(names["WaitNs"] == 3, "so is a wait for each, and not " + std::to_string(names["WaitNs"]));
}

void on_resource(void*, CUpti_CallbackDomain, CUpti_CallbackId, const void*) {}
void resource_callbacks() {
  CUpti_SubscriberHandle subscriber = nullptr;
  must_do(api.cuptiSubscribe(&subscriber, &on_resource, nullptr), "cuptiSubscribe");
  must_do(api.cuptiEnableDomain(1, subscriber, CUPTI_CB_DOMAIN_RESOURCE), "cuptiEnableDomain");
}

void a_flush_begins_anew(Gpu& gpu) {
  resource_callbacks();
  Sass sass(api, chip, gpu.context);
  must_do(sass.configure(), "cuptiSassMetricsSetConfig");
  sass.enable();
  for (int launches : {1, 3}) {
    gpu.launch(launches);
    auto sums = sass.flush();
    must(sums[MetricId::instruction_loads] == static_cast<std::uint64_t>(launches * Gpu::kWarps),
         "loads are right");
    must(sums[MetricId::instruction_stores] == static_cast<std::uint64_t>(launches * Gpu::kWarps),
         "so are stores");
  }
  for (const auto& [id, sum] : sass.flush()) must(sum == 0, "a flush leaves zeros behind");
  sass.disable();
}

// In an open window, but in none of its ranges.
void lines_beside_a_user_window_are_right(Gpu& gpu) {
  resource_callbacks();
  Sass sass(api, chip, gpu.context);
  must_do(sass.configure(), "cuptiSassMetricsSetConfig");
  Profiler profiler(api, gpu.context, config_of({Phase::bytes}), 8, CUPTI_UserRange);
  must_do(profiler.start(), "cuptiRangeProfilerStart");
  for (int i = 0; i < 4; ++i) {
    profiler.push(std::to_string(i));
    gpu.launch();
    profiler.pop();
    sass.enable();
    gpu.launch();
    must(sass.flush()[MetricId::instruction_loads] == Gpu::kWarps, "lines are right");
    sass.disable();
  }
  must_hold(profiler, 4, MetricId::global_load_requests, Gpu::kWarps);
}

void lines_beside_kernel_activity_are_zero(Gpu& gpu) {
  resource_callbacks();
  trace_kernels();
  Sass sass(api, chip, gpu.context);
  must_do(sass.configure(), "cuptiSassMetricsSetConfig");
  sass.enable();
  gpu.launch();
  for (const auto& [id, sum] : sass.flush()) must(sum == 0, "every value is zero beside kernel activity");
  sass.disable();
}

void lines_are_configured_once(Gpu& gpu) {
  Sass sass(api, chip, gpu.context);
  must_do(sass.configure(), "cuptiSassMetricsSetConfig");
  must(sass.configure() == CUPTI_ERROR_INVALID_OPERATION, "a second SetConfig is refused");
  COALESCOPE_PARAMS(CUpti_SassMetricsUnsetConfig_Params, unset);
  must_do(api.cuptiSassMetricsUnsetConfig(&unset), "cuptiSassMetricsUnsetConfig");
  must(sass.configure() == CUPTI_ERROR_OUT_OF_MEMORY, "and answers out-of-memory after UnsetConfig");
}

constexpr const char* kFailing = "patching_after_patched_code_is_gone_fails";
const std::map<std::string, void (*)(Gpu&)> kFacts{
    {"patched_beside_kernel_activity_is_zero", patched_beside_kernel_activity_is_zero},
    {"copies_are_no_ranges", copies_are_no_ranges},
    {"memory_sets_have_no_records_while_copies_have_none",
     memory_sets_have_no_records_while_copies_have_none},
    {"user_ranges_hold_what_is_launched_in_them", user_ranges_hold_what_is_launched_in_them},
    {"a_user_window_survives_stream_captures_graphs_and_code",
     a_user_window_survives_stream_captures_graphs_and_code},
    {"a_graph_in_a_user_range_counts_by_hardware_only", a_graph_in_a_user_range_counts_by_hardware_only},
    {"lines_beside_a_user_window_are_right", lines_beside_a_user_window_are_right},
    {"code_that_was_not_patched_may_go", code_that_was_not_patched_may_go},
    {kFailing, patching_after_patched_code_is_gone_fails},
    {"second_configuration_is_ignored", second_configuration_is_ignored},
    {"start_breaks_a_stream_capture", start_breaks_a_stream_capture},
    {"a_graph_is_one_range_without_a_number", a_graph_is_one_range_without_a_number},
    {"passes_come_in_turn", passes_come_in_turn},
    {"ranges_beyond_the_image_are_lost_uncounted", ranges_beyond_the_image_are_lost_uncounted},
    {"a_second_object_takes_the_place", a_second_object_takes_the_place},
    {"hardware_windows_show_their_waits", hardware_windows_show_their_waits},
    {"a_flush_begins_anew", a_flush_begins_anew},
    {"lines_beside_kernel_activity_are_zero", lines_beside_kernel_activity_are_zero},
    {"lines_are_configured_once", lines_are_configured_once},
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {  // what there is to ask
    for (const auto& [name, fact] : kFacts) std::printf("%s\n", name.c_str());
    return 2;
  }
  if (std::string_view(argv[1]) == kFailing) {
    // The parent has no CUDA, and only watches.
    if (const pid_t child = fork(); child != 0) {
      int status = 0;
      waitpid(child, &status, 0);
      must(status != 0, "it is killed by a signal, or ends for a value that is wrong");
      std::puts("so it is");
      return 0;
    }
    const int nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, STDERR_FILENO);
    dup2(nowhere, STDOUT_FILENO);
  }
  auto loaded = cupti::load_cupti(cupti::clues_of_process());
  must(loaded.has_value(), loaded ? "" : loaded.error().text());
  api = *loaded;
  Gpu gpu(argv[2]);
  COALESCOPE_PARAMS(CUpti_Profiler_Initialize_Params, initialize);
  must_do(api.cuptiProfilerInitialize(&initialize), "cuptiProfilerInitialize");
  COALESCOPE_PARAMS(CUpti_Device_GetChipName_Params, name);
  must_do(api.cuptiDeviceGetChipName(&name), "cuptiDeviceGetChipName");
  chip = name.pChipName;
  kFacts.at(argv[1])(gpu);
  std::puts("so it is");
}
