// coalescope_kernels: the reference programs. What each case should cost is in answers/, what it does in
// patterns/. In order: select cases, look for a GPU, and for each family allocate, run its cases, free. With
// --measure it runs the experiments of curves/ instead.

#include <algorithm>
#include <cstdio>
#include <unistd.h>

#include "kernels/curves/experiments.cuh"
#include "kernels/patterns/cuda_check.cuh"
#include "kernels/program/options.h"
#include "kernels/program/runner.cuh"
#include "kernels/twins/run_twin.cuh"

namespace coalescope::kernels {
namespace {

constexpr int kDone = 0, kWrong = 1, kUsageError = 2, kSkipped = 3, kNoGpu = 4, kBroken = 70;

// Cases come from answers/, their code from patterns/: neither may hold one that the other lacks.
bool same_cases_everywhere() {
  std::vector<std::string> known, runnable;
  for (const Case& one : cases()) known.push_back(one.id);
  for (const Family& family : families())
    for (const Pattern& pattern : family.patterns()) runnable.push_back(pattern.id);
  std::ranges::sort(known);
  std::ranges::sort(runnable);
  const auto has_code = [](const Experiment& one) { return experiment_code(one.id) != nullptr; };
  return known == runnable && std::ranges::all_of(experiments(), has_code);
}

// What to run, and where.
struct Work {
  std::vector<const Case*> cases;
  std::vector<const Experiment*> experiments;
  std::FILE* rows = nullptr;  // of the experiments
};

void list(const std::vector<const Case*>& selected, const Options& options) {
  for (const Case* one : selected)
    std::printf("%-3s %-39s %s\n", one->family.c_str(), one->id.c_str(), one->title.c_str());
  if (!options.case_ids.empty() || options.showcase) return;
  for (const Experiment* one : select_experiments(options.families))
    std::printf("%-3s %-39s %s (measured, by --measure)\n", one->family.data(), one->id.data(),
                one->title.data());
}

bool run_one(const Case& one, const Pattern& pattern, const Arrays& arrays, const Options& options) {
  const Outcome outcome = run_case(pattern, arrays, options.launches);
  if (!options.quiet)
    std::printf("%-3s %-39s %-42s %10.1f us %8.1f GB/s\n", one.family.c_str(), one.id.c_str(),
                one.title.c_str(), outcome.median_us,
                static_cast<double>(one.useful_bytes) / outcome.median_us / 1000);
  std::fflush(stdout);
  if (outcome.mistake)
    std::fprintf(stderr, "coalescope_kernels: %s gave a wrong result: %s\n", one.id.c_str(),
                 outcome.mistake->c_str());
  return !outcome.mistake;
}

int run_family(const Family& family, const std::vector<const Case*>& selected, const Options& options,
               Progress& progress) {
  const auto of_family = [&](const Case* one) { return one->family == family.name; };
  if (std::ranges::none_of(selected, of_family)) return kDone;
  std::string where = "family " + std::string(family.name);
  try {
    const FamilyArrays arrays(family.needs_pinned, family.needs_pageable);
    const std::vector<Pattern> patterns = family.patterns();
    bool all_right = true;
    for (const Case* one : selected) {
      if (!of_family(one)) continue;
      where = one->id;
      progress.step(one->family, one->id);
      const auto pattern = std::ranges::find(patterns, one->id, &Pattern::id);
      all_right = run_one(*one, *pattern, arrays.view(), options) && all_right;
    }
    return all_right ? kDone : kWrong;
  } catch (const CudaError& error) {
    std::fprintf(stderr, "coalescope_kernels: %s: %s\n", where.c_str(), error.what());
    return kWrong;
  }
}

// One that fails, for example for want of memory, does not keep the others from running: its row says so.
int run_experiment(const Experiment& experiment, Bench& bench) {
  bench.begin(experiment);
  try {
    experiment_code(experiment.id)(bench);
    return bench.all_right() ? kDone : kWrong;
  } catch (const CudaError& error) {
    std::fprintf(stderr, "coalescope_kernels: %s: %s\n", experiment.id.data(), error.what());
    bench.skipped({std::string(experiment.id), {}, {}}, "result", error.what());
    // An error that stays ends the run: nothing that follows could be right.
    return cudaDeviceSynchronize() == cudaSuccess && cudaGetLastError() == cudaSuccess ? kDone : kWrong;
  }
}

int run_experiments(const Work& work, bool brief, Progress& progress) {
  int status = kDone;
  Bench bench(work.rows, brief);
  for (const Experiment* experiment : work.experiments) {
    progress.step(experiment->family, experiment->id);
    status = std::max(status, run_experiment(*experiment, bench));
  }
  return status;
}

// About L2 are those of family C: their kernels' hits are counted, besides.
Work work_of(const std::vector<const Case*>& selected, const Options& options) {
  Work work;
  if (options.measure.empty()) work.cases = selected;
  if (options.measure.empty() && !options.with_curves) return work;
  work.experiments = select_experiments(options.families);
  if (options.measure.empty())
    std::erase_if(work.experiments, [](const Experiment* one) { return !one->family.starts_with("C"); });
  return work;
}

std::FILE* open_rows(const std::string& path) {
  if (path == "-") return stdout;
  std::FILE* const file = std::fopen(path.empty() ? "/dev/null" : path.c_str(), "w");
  if (file == nullptr) std::fprintf(stderr, "coalescope_kernels: cannot write '%s'\n", path.c_str());
  return file;
}

int run_all(Work work, const Options& options) {
  std::FILE* const shown = options.progress ? stderr : nullptr;
  Progress progress(shown, isatty(STDERR_FILENO) == 1, options.progress.value_or(ProgressSpan{}),
                    work.cases.size() + work.experiments.size());
  int status = kDone;
  // Whoever records this learns which GPU it is, even if there is nothing to count.
  if (work.cases.empty() && cudaFree(nullptr) != cudaSuccess) return kWrong;
  for (const Family& family : families())
    status = std::max(status, run_family(family, work.cases, options, progress));
  if (work.experiments.empty()) return status;
  work.rows = open_rows(options.measure);
  if (work.rows == nullptr) return kUsageError;
  status = std::max(status, run_experiments(work, options.brief, progress));
  if (work.rows != stdout && std::fclose(work.rows) != 0) return kWrong;
  return status;
}

bool has_gpu() {
  int devices = 0;
  const cudaError_t status = cudaGetDeviceCount(&devices);
  if (status == cudaSuccess && devices > 0) return true;
  std::fprintf(
      stderr,
      "coalescope_kernels: no usable GPU (%s); run this on a machine with an NVIDIA GPU and its driver, "
      "and see that CUDA_VISIBLE_DEVICES does not hide it\n",
      cudaGetErrorString(status));
  return false;
}

int list_twins() {
  for (const Twin& twin : twins()) {
    std::string place{twin.file};
    for (const int line : fault_lines(twin)) place += ":" + std::to_string(line);
    std::printf("%-3s %-24s %-3s %-8s %-27s %-18s %s\n", std::string(twin.family).c_str(),
                std::string(twin.id).c_str(), std::string(twin.rule).c_str(),
                std::string(name_of(twin.verdict)).c_str(), std::string(twin.subject).c_str(), place.c_str(),
                std::string(twin.title).c_str());
  }
  return kDone;
}

// The result, for whoever asked by --measure: {"us":12.3} or {"skipped":"why"}.
bool write_result(const std::string& path, const std::string& json) {
  std::FILE* const file = open_rows(path);
  if (file == nullptr) return false;
  std::fprintf(file, "%s\n", json.c_str());
  return file == stdout || std::fclose(file) == 0;
}

int run_twin(const TwinSide& selected, const Options& options) {
  const std::string id(selected.twin->id), side(name_of(selected.side));
  try {
    const TwinOutcome outcome = run_side(*selected.twin, selected.side);
    if (!options.quiet) std::printf("%s %s %.2f us\n", id.c_str(), side.c_str(), outcome.median_us);
    if (!outcome.mistake)
      return write_result(options.measure, "{\"us\":" + std::to_string(outcome.median_us) + "}")
                 ? kDone
                 : kUsageError;
    std::fprintf(stderr, "coalescope_kernels: %s %s gave a wrong result: %s\n", id.c_str(), side.c_str(),
                 outcome.mistake->c_str());
  } catch (const NotHere& why) {
    if (!options.quiet) std::printf("%s %s skipped: %s\n", id.c_str(), side.c_str(), why.what());
    return write_result(options.measure, std::string("{\"skipped\":\"") + why.what() + "\"}") ? kSkipped
                                                                                              : kUsageError;
  } catch (const CudaError& error) {
    std::fprintf(stderr, "coalescope_kernels: %s %s: %s\n", id.c_str(), side.c_str(), error.what());
  }
  return kWrong;
}

int run(std::span<const char* const> arguments) {
  const auto options = parse_options(arguments);
  if (options && options->help) {
    std::fputs(usage(), stdout);
    return kDone;
  }
  const auto selected = options.and_then([](const Options& chosen) { return select_cases(chosen, cases()); });
  if (!selected) {
    std::fprintf(stderr, "coalescope_kernels: %s\n%s", selected.error().text().c_str(), usage());
    return kUsageError;
  }
  const auto twin = select_twin(*options);
  if (!twin) {
    std::fprintf(stderr, "coalescope_kernels: %s\n%s", twin.error().text().c_str(), usage());
    return kUsageError;
  }
  if (!every_twin_has_code()) {
    std::fputs("coalescope_kernels: twins.cpp and the files beside it do not hold the same pairs\n", stderr);
    return kBroken;
  }
  if (options->list_twins) return list_twins();
  if (!same_cases_everywhere()) {
    std::fputs("coalescope_kernels: answers/ and patterns/ do not hold the same cases\n", stderr);
    return kBroken;
  }
  if (options->list) {
    list(*selected, *options);
    return kDone;
  }
  if (!has_gpu()) return kNoGpu;
  if (options->probe) return kDone;
  if (*twin) return run_twin(**twin, *options);
  return run_all(work_of(*selected, *options), *options);
}

}  // namespace
}  // namespace coalescope::kernels

int main(int argc, char** argv) {
  return coalescope::kernels::run({argv + 1, static_cast<std::size_t>(argc - 1)});
}
