#include <chrono>

#include "kernels/curves/bench.cuh"

namespace coalescope::kernels {
namespace {

constexpr int kWarmUps = 2;

}  // namespace

Times divided(Times times, double by) {
  for (double& time : times) time /= by;
  return times;
}

Bench::Bench(std::FILE* out, bool brief) : out_(out), brief_(brief) {
  int device = 0;
  check_cuda(cudaGetDevice(&device), "cudaGetDevice");
  check_cuda(cudaGetDeviceProperties(&device_, device), "cudaGetDeviceProperties");
  full_grid_ = static_cast<unsigned>(device_.multiProcessorCount * device_.maxThreadsPerMultiProcessor /
                                     static_cast<int>(kBlockThreads));
  check_cuda(cudaEventCreate(&began_), "cudaEventCreate");
  check_cuda(cudaEventCreate(&ended_), "cudaEventCreate");
}

std::optional<std::string> Bench::why_no_set_aside() const {
  if (device_.major < 8)
    return "the GPU is of compute capability " + std::to_string(device_.major) + "." +
           std::to_string(device_.minor) + ", and L2 residency control begins with 8.0";
  if (device_.persistingL2CacheMaxSize == 0)
    return "the driver sets no L2 aside here: MIG switches that off, and MPS has it in an environment "
           "variable";
  return std::nullopt;
}

Times Bench::on_gpu(int usual, const std::function<void(cudaStream_t)>& work,
                    const std::function<void(cudaStream_t)>& prepare) const {
  Times times;
  const int wanted = repetitions(usual);
  for (int run = -kWarmUps; run < wanted; ++run) {
    if (prepare) prepare(stream_);
    check_cuda(cudaEventRecord(began_, stream_), "cudaEventRecord");
    work(stream_);
    check_cuda(cudaGetLastError(), "the launch");
    check_cuda(cudaEventRecord(ended_, stream_), "cudaEventRecord");
    stream_.wait();
    float milliseconds = 0;
    check_cuda(cudaEventElapsedTime(&milliseconds, began_, ended_), "cudaEventElapsedTime");
    if (run >= 0) times.push_back(static_cast<double>(milliseconds) * 1e6);
  }
  return times;
}

Times Bench::on_host(int usual, const std::function<void()>& work,
                     const std::function<void()>& prepare) const {
  using Clock = std::chrono::steady_clock;
  Times times;
  const int wanted = repetitions(usual);
  for (int run = -kWarmUps; run < wanted; ++run) {
    if (prepare) prepare();
    const auto began = Clock::now();
    work();
    const std::chrono::duration<double, std::nano> took = Clock::now() - began;
    check_cuda(cudaGetLastError(), "the launch");
    if (run >= 0) times.push_back(took.count());
  }
  return times;
}

model::Calibration Bench::row_of(const Point& point, std::string_view quantity, std::string_view unit) const {
  model::Calibration row;
  row.family = family_;
  row.case_id = point.name;
  if (point.x) {
    char text[32];
    std::snprintf(text, sizeof text, "/%.15g", *point.x);
    row.case_id += text;
  }
  row.quantity = quantity;
  row.unit = unit;
  row.abscissa = point.x;
  row.verdict = model::Verdict::measured;
  return row;
}

// At once: what was measured is not lost if a later experiment brings the driver down.
void Bench::write(const Measurement& measurement) {
  std::fputs(to_json_line(measurement).c_str(), out_);
  std::fflush(out_);
}

void Bench::bandwidth(const Point& point, double bytes, const Times& times,
                      std::optional<double> expected_gb_s) {
  const Quartiles ns = quartiles(times);
  Measurement result{row_of(point, kGbPerSecond, "GB/s"), bytes / ns.low - bytes / ns.high, point.kernel};
  result.row.measured = bytes / ns.median;
  result.row.expected = expected_gb_s;
  write(result);
}

void Bench::time(const Point& point, const Times& times, std::optional<double> expected_ns) {
  const Quartiles ns = quartiles(times);
  Measurement result{row_of(point, kTimeNs, "ns"), ns.high - ns.low, point.kernel};
  result.row.measured = ns.median;
  result.row.expected = expected_ns;
  write(result);
}

void Bench::rate(const Point& point, double events, const Times& times, std::optional<double> expected_g_s) {
  const Quartiles ns = quartiles(times);
  Measurement result{row_of(point, kRate, "1e9/s"), events / ns.low - events / ns.high, point.kernel};
  result.row.measured = events / ns.median;
  result.row.expected = expected_g_s;
  write(result);
}

void Bench::figure(const Point& point, std::string_view quantity, std::string_view unit, double value,
                   std::optional<double> expected) {
  Measurement result{row_of(point, quantity, unit), std::nullopt, point.kernel};
  result.row.measured = value;
  result.row.expected = expected;
  write(result);
}

void Bench::fact(const Point& point, std::string_view quantity, double expected, double measured,
                 const std::string& note) {
  Measurement result{row_of(point, quantity, ""), std::nullopt, {}};
  result.row.expected = expected;
  result.row.measured = measured;
  result.row.verdict = expected == measured ? model::Verdict::pass : model::Verdict::fail;
  result.row.note = note;
  write(result);
}

void Bench::skipped(const Point& point, std::string_view quantity, const std::string& why) {
  Measurement result{row_of(point, quantity, ""), std::nullopt, {}};
  result.row.verdict = model::Verdict::skipped;
  result.row.note = why;
  write(result);
}

void Bench::check(const std::string& name, std::uint64_t expected, std::uint64_t found) {
  if (expected == found) return;
  all_right_ = false;
  fact({name, {}, {}}, "result", static_cast<double>(expected), static_cast<double>(found),
       "the kernel gave a wrong result, so its figures say nothing");
}

}  // namespace coalescope::kernels
