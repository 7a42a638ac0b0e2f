#include "core/model/metric.h"

namespace coalescope::model {
namespace {

constexpr auto kBytes = Unit::bytes;
constexpr auto kSectors = Unit::sectors;
constexpr auto kRequests = Unit::requests;

// The patched counters (phase `bytes`) were equal to the hardware's own l1tex__t_* counters in every case
// tried on an H100. `global_*_bytes` count the DISTINCT bytes that the lanes of each warp asked for.
constexpr std::array kMetrics{
    Metric{MetricId::global_load_bytes,
           "global_load_bytes",
           Phase::bytes,
           kBytes,
           {"smsp__sass_data_bytes_mem_global_op_ld.sum"},
           "Distinct bytes that global loads asked for"},
    Metric{MetricId::global_load_sectors,
           "global_load_sectors",
           Phase::bytes,
           kSectors,
           {"smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_ld.sum"},
           "Sectors that global loads touched"},
    Metric{MetricId::global_load_requests,
           "global_load_requests",
           Phase::bytes,
           kRequests,
           {"smsp__sass_inst_executed_op_global_ld.sum"},
           "Global load instructions, counted once a warp"},
    Metric{MetricId::global_store_bytes,
           "global_store_bytes",
           Phase::bytes,
           kBytes,
           {"smsp__sass_data_bytes_mem_global_op_st.sum"},
           "Distinct bytes that global stores wrote"},
    Metric{MetricId::global_store_sectors,
           "global_store_sectors",
           Phase::bytes,
           kSectors,
           {"smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_st.sum"},
           "Sectors that global stores touched"},
    Metric{MetricId::global_store_requests,
           "global_store_requests",
           Phase::bytes,
           kRequests,
           {"smsp__sass_inst_executed_op_global_st.sum"},
           "Global store instructions, counted once a warp"},
    Metric{MetricId::global_atomic_bytes,
           "global_atomic_bytes",
           Phase::bytes,
           kBytes,
           {"smsp__sass_data_bytes_mem_global_op_atom.sum"},
           "Distinct bytes of atomics that return a value"},
    Metric{MetricId::global_atomic_sectors,
           "global_atomic_sectors",
           Phase::bytes,
           kSectors,
           {"smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_atom.sum"},
           "Sectors of atomics that return a value"},
    Metric{MetricId::global_reduction_bytes,
           "global_reduction_bytes",
           Phase::bytes,
           kBytes,
           {"smsp__sass_data_bytes_mem_global_op_red.sum"},
           "Distinct bytes of atomics without a result"},
    Metric{MetricId::global_reduction_sectors,
           "global_reduction_sectors",
           Phase::bytes,
           kSectors,
           {"smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_red.sum"},
           "Sectors of atomics without a result"},
    Metric{MetricId::local_load_sectors,
           "local_load_sectors",
           Phase::bytes,
           kSectors,
           {"smsp__sass_l1tex_t_sectors_pipe_lsu_mem_local_op_ld.sum"},
           "Sectors that local loads touched"},
    Metric{MetricId::local_store_sectors,
           "local_store_sectors",
           Phase::bytes,
           kSectors,
           {"smsp__sass_l1tex_t_sectors_pipe_lsu_mem_local_op_st.sum"},
           "Sectors that local stores touched"},
    Metric{MetricId::instruction_sectors,
           "instruction_sectors",
           Phase::lines,
           kSectors,
           {"smsp__sass_sectors_mem_global"},
           "Sectors that one instruction touched in global memory"},
    Metric{MetricId::instruction_ideal_sectors,
           "instruction_ideal_sectors",
           Phase::lines,
           kSectors,
           {"smsp__sass_sectors_mem_global_ideal"},
           "Sectors that its threads' bytes would fill if they lay together, at most those touched"},
    Metric{MetricId::instruction_loads,
           "instruction_loads",
           Phase::lines,
           kRequests,
           {"smsp__sass_inst_executed_op_global_ld"},
           "Executions as a global load, counted once a warp"},
    Metric{MetricId::instruction_stores,
           "instruction_stores",
           Phase::lines,
           kRequests,
           {"smsp__sass_inst_executed_op_global_st"},
           "Executions as a global store, counted once a warp"},
    Metric{MetricId::l2_read_sectors,
           "l2_read_sectors",
           Phase::traffic,
           kSectors,
           {"lts__t_sectors_srcunit_tex_op_read.sum"},
           "Sectors that L1 read from L2"},
    Metric{MetricId::l2_write_sectors,
           "l2_write_sectors",
           Phase::traffic,
           kSectors,
           {"lts__t_sectors_srcunit_tex_op_write.sum"},
           "Sectors that L1 wrote to L2"},
    Metric{MetricId::l2_sysmem_sectors,
           "l2_sysmem_sectors",
           Phase::traffic,
           kSectors,
           {"lts__t_sectors_srcunit_tex_aperture_sysmem.sum",
            "syslts__t_sectors_srcunit_tex_aperture_sysmem.sum"},
           "Sectors that L1 asked for in the host's memory (zero-copy)"},
    Metric{MetricId::dram_read_bytes,
           "dram_read_bytes",
           Phase::traffic,
           kBytes,
           {"dram__bytes_read.sum", "dram__bytes_op_read.sum"},
           "Bytes read from the GPU's memory"},
    Metric{MetricId::dram_write_bytes,
           "dram_write_bytes",
           Phase::traffic,
           kBytes,
           {"dram__bytes_write.sum", "dram__bytes_op_write.sum"},
           "Bytes written to the GPU's memory"},
    Metric{MetricId::traffic_ns,
           "traffic_ns",
           Phase::traffic,
           Unit::nanoseconds,
           {"gpu__time_duration.sum"},
           "GPU time of the launch whose traffic was counted"},
    Metric{MetricId::l2_hit_sectors,
           "l2_hit_sectors",
           Phase::hits,
           kSectors,
           {"lts__t_sectors_srcunit_tex_lookup_hit.sum"},
           "Sectors from L1 that L2 held when it was first asked"},
    // Patched like the loads above, and no kernel pays for what it does not use: chips before GA100 have no
    // asynchronous copies, those before GH100 no TMA.
    Metric{MetricId::async_copy_bytes,
           "async_copy_bytes",
           Phase::bytes,
           kBytes,
           {"smsp__sass_data_bytes_mem_global_op_ldgsts.sum"},
           "Distinct bytes that asynchronous copies to shared memory (cp.async) asked for"},
    Metric{MetricId::async_copy_sectors,
           "async_copy_sectors",
           Phase::bytes,
           kSectors,
           {"smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_ldgsts.sum"},
           "Sectors that asynchronous copies to shared memory touched"},
    Metric{MetricId::async_copy_requests,
           "async_copy_requests",
           Phase::bytes,
           kRequests,
           {"smsp__sass_inst_executed_op_ldgsts.sum"},
           "Asynchronous copy instructions, counted once a warp"},
    Metric{MetricId::tma_instructions,
           "tma_instructions",
           Phase::bytes,
           kRequests,
           {"smsp__sass_inst_executed_op_tma.sum"},
           "Instructions of the tensor memory accelerator (TMA), whose bytes nothing counts"},
    Metric{MetricId::instruction_atomics,
           "instruction_atomics",
           Phase::lines,
           kRequests,
           {"smsp__sass_inst_executed_op_global_atom"},
           "Executions as a global atomic that returns a value, counted once a warp"},
    Metric{MetricId::instruction_reductions,
           "instruction_reductions",
           Phase::lines,
           kRequests,
           {"smsp__sass_inst_executed_op_global_red"},
           "Executions as a global reduction, counted once a warp"},
    Metric{MetricId::instruction_async_copies,
           "instruction_async_copies",
           Phase::lines,
           kRequests,
           {"smsp__sass_inst_executed_op_ldgsts"},
           "Executions as an asynchronous copy to shared memory, counted once a warp"},
    Metric{MetricId::instruction_threads,
           "instruction_threads",
           Phase::lines,
           Unit::threads,
           {"smsp__sass_thread_inst_executed_op_global_pred_on"},
           "Threads that took part in its executions on global memory"},
    Metric{MetricId::instruction_local_sectors,
           "instruction_local_sectors",
           Phase::lines,
           kSectors,
           {"smsp__sass_sectors_mem_local"},
           "Sectors that one instruction touched in local memory"},
    Metric{MetricId::instruction_shared_requests,
           "instruction_shared_requests",
           Phase::lines,
           kRequests,
           {"smsp__sass_inst_executed_op_shared"},
           "Executions on shared memory, counted once a warp"},
    Metric{MetricId::instruction_shared_wavefronts,
           "instruction_shared_wavefronts",
           Phase::lines,
           Unit::wavefronts,
           {"smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared"},
           "Wavefronts that its executions on shared memory took"},
    Metric{MetricId::instruction_shared_ideal_wavefronts,
           "instruction_shared_ideal_wavefronts",
           Phase::lines,
           Unit::wavefronts,
           {"smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared_ideal"},
           "Wavefronts that they would take without bank conflicts"},
};

constexpr bool lists_every_id_in_order() {
  for (std::size_t i = 0; i < kMetrics.size(); ++i)
    if (kMetrics[i].id != static_cast<MetricId>(i + 1)) return false;
  return kMetrics.back().id == MetricId::instruction_shared_ideal_wavefronts;
}
static_assert(lists_every_id_in_order(), "the catalogue must list every MetricId, in order");

}  // namespace

std::span<const Metric> metric_catalogue() {
  return kMetrics;
}

const Metric& metric(MetricId id) {
  return kMetrics[static_cast<std::size_t>(id) - 1];
}

std::string_view name_of(Unit unit) {
  switch (unit) {
    case Unit::bytes:
      return "bytes";
    case Unit::sectors:
      return "sectors";
    case Unit::requests:
      return "requests";
    case Unit::nanoseconds:
      return "ns";
    case Unit::threads:
      return "threads";
    case Unit::wavefronts:
      return "wavefronts";
  }
  return "unknown";
}

}  // namespace coalescope::model
