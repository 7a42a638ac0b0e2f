#include "tests/web/sample_rows.h"

#include <fmt/format.h>

#include "reports/analysis/rows/kernel_families.h"

namespace coalescope::samples {

using analysis::Access;
using analysis::Level;
using model::Direction;
using model::MemoryKind;
using model::Phase;

namespace {

constexpr const char* kSource = "/home/user/stencil/transpose.cu";

Access access(std::int64_t data_bytes, std::int64_t sectors, std::int64_t requests, double efficiency) {
  if (requests == 0) return {0, 0, 0, {}, {}, {}};
  return {data_bytes,
          sectors,
          requests,
          static_cast<double>(data_bytes) / (32.0 * static_cast<double>(sectors)),
          static_cast<double>(sectors) / static_cast<double>(requests),
          efficiency};
}

// A kernel group measured in every phase.
KernelRow kernel(std::int64_t id, std::string name, std::int64_t launches, std::int64_t median_ns,
                 Access load, Access store, double l2_hits, std::int64_t dram_read,
                 std::int64_t dram_written) {
  KernelRow row;
  row.id = id;
  row.name = name;
  row.full_name = "void " + name + "(float*, const float*, int)";
  row.mangled_name = "_Z" + std::to_string(name.size()) + name;
  row.grid = {4096, 1, 1};
  row.block = {256, 1, 1};
  row.static_shared_bytes = 0;
  row.registers_per_thread = 24;
  row.local_bytes_per_thread = 0;
  row.launches = launches;
  row.timed_launches = launches > 6 ? launches - 6 : launches;
  row.median_gpu_ns = median_ns;
  row.gpu_ns = median_ns * launches;
  row.load = load;
  row.store = store;
  row.sector_efficiency = load.sector_efficiency ? load.sector_efficiency : store.sector_efficiency;
  row.l2_sectors = (dram_read + dram_written) / 32;
  row.l2_hit_ratio = l2_hits;
  row.dram_read_bytes = dram_read;
  row.dram_write_bytes = dram_written;
  row.sysmem_sectors = 21'605;
  row.dram_bandwidth = static_cast<double>(dram_read + dram_written) * 1e9 / static_cast<double>(median_ns);
  row.bytes_samples = {3, launches};
  row.lines_samples = {1, launches};
  row.traffic_samples = {2, launches};
  row.hits_samples = {2, launches};
  return row;
}

}  // namespace

void without_counts(KernelRow& row, CoverageReason reason, const std::string& why) {
  row.load = row.store = {};
  row.sector_efficiency = row.l2_hit_ratio = {};
  row.dram_read_bytes = row.dram_write_bytes = row.l2_sectors = row.sysmem_sectors = {};
  row.dram_bandwidth = {};
  row.bytes_samples.measured = row.lines_samples.measured = row.traffic_samples.measured =
      row.hits_samples.measured = 0;
  for (const Phase phase : {Phase::bytes, Phase::lines, Phase::traffic, Phase::hits})
    row.unmeasured.push_back({phase, reason, why});
}

std::vector<KernelRow> kernels() {
  constexpr std::int64_t kMi = 1 << 20;
  std::vector<KernelRow> rows{
      kernel(1, "transpose_naive", 400, 412'300, access(64 * kMi, 2 * kMi, kMi / 2, 1.0),
             access(64 * kMi, 16 * kMi, kMi / 2, 0.125), 0.641, 67'211'264, 118'489'088),
      kernel(2,
             "void at::native::elementwise_kernel<128, 4, gpu_kernel_impl_nocast<direct_copy_kernel_cuda>>",
             120, 611'840, access(128 * kMi, 31 * kMi, kMi, 0.129), access(128 * kMi, 4 * kMi, kMi, 1.0),
             0.552, 141'557'760, 134'217'728),
      kernel(3, "gather_rows<float, 32>", 400, 61'120, access(8 * kMi, 2 * kMi, kMi / 4, 0.5),
             access(8 * kMi, kMi / 4, kMi / 16, 1.0), 0.31, 33'554'432, 8'388'608),
      kernel(4, "scale_by_scalar", 2000, 6'130, access(4'325'376, 1'060'864, 264'192, 1.0),
             access(4 * kMi, kMi / 8, kMi / 32, 1.0), 0.97, 4'194'304, 4'194'304),
      kernel(5, "copy_offset_1", 50, 64'100, access(64 * kMi, 5 * kMi / 2, kMi / 2, 0.8),
             access(64 * kMi, 2 * kMi, kMi / 2, 1.0), 0.52, 67'108'864, 67'108'864),
      kernel(6, "fill", 50, 31'000, access(0, 0, 0, 1.0), access(64 * kMi, 2 * kMi, kMi / 2, 1.0), 0.49,
             12'288, 67'108'864),
      kernel(7,
             "sm90_xmma_gemm_f32f32_tf32f32_f32_tn_n_tilesize128x128x32_warpgroupsize1x1x1_execute_segment_k_"
             "off",
             96, 148'350, access(24 * kMi, 768 * 1024, 196'608, 1.0),
             access(4 * kMi, 128 * 1024, 32'768, 1.0), 0.93, 25'165'824, 4'194'304),
      kernel(8, "softmax_warp_forward<float, float, float, 10, false, false>", 24, 18'240,
             access(16 * kMi, kMi / 2, kMi / 8, 1.0), access(16 * kMi, kMi / 2, kMi / 8, 1.0), 0.5,
             16'777'216, 16'777'216),
      kernel(9, "initialise", 1, 91'000, access(0, 0, 0, 1.0), {}, 0, 0, 0),
      kernel(10, "ncclDevKernel_AllReduce_Sum_f32_RING_LL", 48, 38'400, {}, {}, 0, 0, 0),
      kernel(11, "graph_step<4>", 64, 9'020, {}, {}, 0, 0, 0),
  };
  rows[0].block = {32, 8, 1};
  rows[0].grid = {128, 128, 1};
  rows[1].full_name =
      "void at::native::elementwise_kernel<128, 4, at::native::gpu_kernel_impl_nocast<at::native::"
      "direct_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda()#3}::operator()() "
      "const::{lambda()#7}::operator()() "
      "const::{lambda(float)#1}>(at::TensorIteratorBase&, ...)::{lambda(int)#1}>(int, ...)";
  rows[0].worst_file = rows[2].worst_file = kSource;
  rows[0].worst_line = 18;
  rows[2].worst_line = 41;
  without_counts(rows[8], CoverageReason::too_few_launches,
                 "ran once; a launch that is counted cannot be timed as well");
  without_counts(
      rows[9], CoverageReason::skip_listed,
      "its launches wait for each other on other GPUs; holding one up to count it could stop the program");
  rows[10].gpu_ns = rows[10].median_gpu_ns = {};
  rows[10].timed_launches = 0;
  without_counts(rows[10], CoverageReason::in_graph,
                 "ran inside a CUDA graph, where single launches cannot be counted");
  rows[10].unmeasured.push_back(
      {Phase::trace, CoverageReason::in_graph, "ran inside a CUDA graph, which is timed as a whole"});
  rows[7].l2_hit_ratio = {};
  rows[7].hits_samples.measured = 0;
  rows[7].unmeasured.push_back({Phase::hits, CoverageReason::budget_spent,
                                "the time that measuring may cost was spent before its turn came"});
  return rows;
}

std::vector<analysis::TransferRow> transfers() {
  const auto row = [](Direction direction, MemoryKind from, MemoryKind to, bool async, std::int64_t size,
                      std::int64_t count, double gb_s) {
    analysis::TransferRow out;
    out.direction = direction;
    out.source_memory = from;
    out.destination_memory = to;
    out.asynchronous = async;
    out.smallest_bytes = size;
    out.largest_bytes = count > 1 ? size * 3 : size;
    out.transfers = count;
    out.bytes = (out.smallest_bytes + out.largest_bytes) / 2 * count;
    out.bandwidth = gb_s * 1e9;
    out.gpu_ns = static_cast<std::int64_t>(static_cast<double>(out.bytes) / gb_s);
    if (direction == Direction::host_to_device || direction == Direction::device_to_host) {
      // A fixed time for each copy and the bandwidth of a large one.
      const double large = direction == Direction::host_to_device ? 55.0e9 : 54.6e9;
      const double mean = static_cast<double>(out.bytes) / static_cast<double>(count);
      out.reference_bandwidth = mean / (mean / large + 2.49e-6);
      out.reference = "calibrated on this machine";
    }
    return out;
  };
  constexpr auto kUp = Direction::host_to_device;
  constexpr auto kDown = Direction::device_to_host;
  constexpr auto kDevice = MemoryKind::device;
  return {row(kUp, MemoryKind::pageable, kDevice, false, 134'217'728, 4, 7.8),
          row(kDown, kDevice, MemoryKind::pageable, false, 134'217'728, 1, 10.6),
          row(kUp, MemoryKind::pageable, kDevice, false, 1'048'576, 40, 6.1),
          row(kUp, MemoryKind::pinned, kDevice, true, 134'217'728, 4, 55.0),
          row(kDown, kDevice, MemoryKind::pinned, true, 134'217'728, 2, 54.6),
          row(kUp, MemoryKind::pinned, kDevice, true, 4'096, 1000, 1.6),
          row(kUp, MemoryKind::pinned, kDevice, true, 1'048'576, 16, 43.2),
          row(kDown, kDevice, MemoryKind::pageable, false, 4'096, 120, 0.9),
          row(Direction::device_to_device, kDevice, kDevice, true, 67'108'864, 3, 1'310.0),
          row(Direction::set, MemoryKind::unknown, kDevice, true, 67'108'864, 2, 2'480.0)};
}

void rank(Report& report) {
  for (const auto& kernel : report.kernels) report.totals.kernel_ns += kernel.gpu_ns.value_or(0);
  for (const auto& transfer : report.transfers) report.totals.transfer_ns += transfer.gpu_ns.value_or(0);
  const auto gpu_ns = static_cast<double>(report.totals.kernel_ns + report.totals.transfer_ns);
  for (auto& kernel : report.kernels) {
    report.totals.launches += kernel.launches;
    if (kernel.gpu_ns) kernel.share = static_cast<double>(*kernel.gpu_ns) / gpu_ns;
  }
  for (auto& transfer : report.transfers) {
    report.totals.transfers += transfer.transfers;
    if (transfer.gpu_ns) transfer.share = static_cast<double>(*transfer.gpu_ns) / gpu_ns;
  }
  report.totals.kernel_groups = static_cast<std::int64_t>(report.kernels.size());
  report.kernel_families = analysis::kernel_families(report.kernels);
  for (auto& family : report.kernel_families)
    if (family.gpu_ns) family.share = static_cast<double>(*family.gpu_ns) / gpu_ns;
  report.totals.kernel_families = std::ssize(report.kernel_families);
  for (auto& finding : report.findings)
    if (finding.lost_ns) finding.lost_share = static_cast<double>(*finding.lost_ns) / gpu_ns;
}

std::vector<analysis::Finding> findings() {
  return {
      {"G01",
       Level::severe,
       "Uncoalesced stores",
       "transpose_naive",
       1,
       kSource,
       18,
       "32.0 sectors per request; 12.5 % of the bytes moved by stores were requested; DRAM wrote 118 MB "
       "for 67 MB.",
       "Transpose a tile in shared memory (padded to 33 columns), so that both the loads and the stores of a "
       "warp are "
       "neighbours.",
       140'900'000,
       {},
       "400 launches at 412 us against 60.1 us, the time of the same bytes at the measured DRAM bandwidth.",
       164'920'000},
      {"T01",
       Level::severe,
       "Copies of pageable memory",
       "host to device, pageable, 128 MiB to 384 MiB",
       {},
       {},
       {},
       "4 copies at 7.8 GB/s where pinned memory reaches 55.0 GB/s.",
       "Allocate the host buffer with cudaHostAlloc, or pin it once with cudaHostRegister.",
       118'130'000,
       {},
       "Bytes / bandwidth, against the fastest pinned copy of this capture.",
       137'640'000},
      {"G01",
       Level::severe,
       "Uncoalesced loads",
       "void at::native::elementwise_kernel<128, 4, gpu_kernel_impl_nocast<direct_copy_kernel_cuda>>",
       2,
       {},
       {},
       "31.0 sectors per request; 12.9 % of the bytes moved by loads were requested.",
       "Make the tensor contiguous once, before the loop, or keep it in the order in which it is read.",
       61'750'000,
       {},
       "120 launches at 612 us against 97.3 us, the time of the same bytes at the measured DRAM bandwidth.",
       73'420'000},
      {"G05",
       Level::warning,
       "Reads scattered by an index",
       "gather_rows<float, 32>",
       3,
       kSource,
       41,
       "8.0 sectors per request; 12.5 % of the bytes moved by loads were requested.",
       "Sort or bin the indices, so that neighbouring threads read neighbouring rows.",
       5'140'000,
       {},
       "400 launches at 61.1 us against 48.3 us, the time of the same bytes at the measured DRAM bandwidth.",
       24'448'000},
      {"T02",
       Level::warning,
       "Many small copies",
       "host to device, pinned, 4 KiB to 12 KiB",
       {},
       {},
       {},
       "1,000 copies of 8 KiB reach 1.6 GB/s where large ones reach 55.0 GB/s.",
       "Pack them into one copy.",
       4'970'000,
       {},
       "Bytes / bandwidth, against the fastest pinned copy of this capture.",
       5'119'000},
      {"G02",
       Level::note,
       "Broadcast loads",
       "scale_by_scalar",
       4,
       "/home/user/stencil/scale.cu",
       7,
       "All threads of a warp read the same word: 1.0 sector per request, 12.5 % of it requested.",
       "Pass the scalar as a kernel parameter, or put it into constant memory.",
       {},
       {},
       "L2 holds the word (97.0 % hits), so the time lost cannot be told from the time of the loads beside "
       "it.",
       12'260'000},
  };
}

std::vector<analysis::LineRow> lines() {
  const auto row = [](std::int64_t id, const char* name, std::optional<std::string> file, std::int64_t line,
                      std::int64_t loads, std::int64_t stores, std::int64_t sectors, std::int64_t ideal,
                      std::optional<std::string> text) {
    analysis::LineRow out;
    out.kernel_id = id;
    out.kernel_name = name;
    out.file = file;
    if (file)
      out.line = line;
    else
      out.pc_offset = line;
    out.instructions = 1;
    out.loads = loads;
    out.stores = stores;
    out.sectors = sectors;
    out.ideal_sectors = ideal;
    out.surplus_sectors = sectors - ideal;
    out.sector_efficiency = static_cast<double>(ideal) / static_cast<double>(sectors);
    out.sectors_per_request = static_cast<double>(sectors) / static_cast<double>(loads + stores);
    out.text = std::move(text);
    return out;
  };
  return {
      row(2, "void at::native::elementwise_kernel<128, 4, gpu_kernel_impl_nocast<direct_copy_kernel_cuda>>",
          {}, 0x3d0, 1'048'576, 0, 32'505'856, 4'194'304, {}),
      row(1, "transpose_naive", kSource, 18, 0, 524'288, 16'777'216, 2'097'152,
          "  out[x * height + y] = in[y * width + x];"),
      row(3, "gather_rows<float, 32>", kSource, 41, 262'144, 0, 2'097'152, 1'048'576,
          "  float value = rows[index[row] * pitch + column];"),
      row(5, "copy_offset_1", "/opt/vendor/copy.cu", 88, 524'288, 0, 2'621'440, 2'097'152, {}),
      row(1, "transpose_naive", kSource, 17, 524'288, 0, 2'097'152, 2'097'152,
          "  if (x >= width || y >= height) return;"),
  };
}

std::vector<analysis::SourceExcerpt> sources() {
  return {
      {kSource,
       {{14, "__global__ void transpose_naive(float* out, const float* in, int width, int height) {", {}, {}},
        {15, "  int x = blockIdx.x * blockDim.x + threadIdx.x;", {}, {}},
        {16, "  int y = blockIdx.y * blockDim.y + threadIdx.y;", {}, {}},
        {17, "  if (x >= width || y >= height) return;", {}, {}},
        {18, "  out[x * height + y] = in[y * width + x];", 18'874'368, 4'194'304},
        {19, "}", {}, {}},
        {39, "  for (int column = threadIdx.x; column < pitch; column += blockDim.x) {", {}, {}},
        {40, "    // one row for each block, in the order of the index", {}, {}},
        {41, "    float value = rows[index[row] * pitch + column];", 2'097'152, 1'048'576},
        {42, "    out[row * pitch + column] = value > 0 ? value : 0;", 262'144, 262'144},
        {43, "  }", {}, {}}}}};
}

model::Process process() {
  model::Process out;
  out.pid = 41'214;
  out.parent_pid = 41'200;
  out.host = "gpu-node-07";
  out.executable = "/home/user/stencil/build/stencil";
  out.ended_ns = 3'911'000'000;
  out.driver_version = 13'000;
  out.cupti_version = 130'001;
  out.clean = true;
  return out;
}

// A pipeline: a kernel and a copy at once for a while, a wait, a stretch without a list and one of measuring.
analysis::TimeLine time_line() {
  constexpr std::int64_t kMs = 1'000'000;
  analysis::TimeLine line;
  line.began_ns = 1'000 * kMs;
  line.ended_ns = 3'048 * kMs;
  line.bin_ns = kMs;
  line.devices = {{1,
                   0,
                   {{1'000 * kMs, 1'400 * kMs, 400 * kMs}, {1'500 * kMs, 1'501 * kMs, 200'000}},
                   {{1'300 * kMs, 1'600 * kMs, 300 * kMs}},
                   {{1'300 * kMs, 1'400 * kMs, 100 * kMs}, {1'500 * kMs, 1'501 * kMs, 200'000}}}};
  line.processes = {{1,
                     {{1'600 * kMs, 1'700 * kMs, 100 * kMs}},
                     {{2'000 * kMs, 2'500 * kMs, 500 * kMs}},
                     {{1'800 * kMs, 1'900 * kMs, 100 * kMs}}}};
  line.ranges = {{1, 7, 0, std::nullopt, "epoch", 1'000 * kMs, 2'900 * kMs},
                 {1, 7, 1, "loader", "batch", 1'100 * kMs, std::nullopt}};
  return line;
}

analysis::Program program() {
  analysis::Program out;
  out.allocations = {{model::AllocationKind::device, 0, 3, 3 << 20, 2 << 20, 3 << 20, 1}};
  out.allocation_places = {{"transpose.cu:52 main()", std::nullopt, 2, 3 << 20, 3 << 20, 2 << 20, 1},
                           {std::nullopt, std::nullopt, 1, 4096, 4096, 4096, 0}};
  out.memory = {{model::AllocationKind::device, 0, {{10'000'000, 1 << 20}, {20'000'000, 3 << 20}}},
                {model::AllocationKind::pinned, std::nullopt, {{15'000'000, 1 << 18}}}};
  return out;
}

}  // namespace coalescope::samples
