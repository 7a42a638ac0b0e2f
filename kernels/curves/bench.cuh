#pragma once
// What every experiment measures with: times on the GPU and on the host, and the rows that go out.

#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/answers/quartiles.h"
#include "kernels/curves/experiment.h"
#include "kernels/patterns/cuda_check.cuh"
#include "kernels/patterns/pattern.cuh"

namespace coalescope::kernels {

// Nanoseconds of each repetition.
using Times = std::vector<double>;

Times divided(Times times, double by);

// Where a figure belongs. A point of a curve is the case "name/x".
struct Point {
  std::string name;
  std::optional<double> x;
  std::string kernel;  // see Measurement
};

class Stream {
 public:
  Stream() { check_cuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate"); }
  ~Stream() { cudaStreamDestroy(stream_); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  operator cudaStream_t() const { return stream_; }  // NOLINT(google-explicit-constructor)
  void wait() const { check_cuda(cudaStreamSynchronize(stream_), "cudaStreamSynchronize"); }

 private:
  cudaStream_t stream_ = nullptr;
};

template <class T>
struct FreeOnDevice {
  void operator()(T* memory) const { cudaFree(memory); }
};
template <class T>
using OnDevice = std::unique_ptr<T[], FreeOnDevice<T>>;

template <class T>
OnDevice<T> device_array(std::int64_t bytes) {
  void* memory = nullptr;
  check_cuda(cudaMalloc(&memory, static_cast<std::size_t>(bytes)), "cudaMalloc");
  return OnDevice<T>(static_cast<T*>(memory));
}

template <class T>
struct FreeOnHost {
  void operator()(T* memory) const { cudaFreeHost(memory); }
};
template <class T>
using OnHost = std::unique_ptr<T[], FreeOnHost<T>>;

template <class T>
OnHost<T> pinned_array(std::int64_t bytes) {
  void* memory = nullptr;
  check_cuda(cudaHostAlloc(&memory, static_cast<std::size_t>(bytes), cudaHostAllocMapped), "cudaHostAlloc");
  return OnHost<T>(static_cast<T*>(memory));
}

class Bench {
 public:
  // Rows go to `out`; with `brief` there are fewer points and repetitions.
  Bench(std::FILE* out, bool brief);

  const cudaDeviceProp& device() const { return device_; }
  bool brief() const { return brief_; }
  // What this GPU cannot do, in words for the row; std::nullopt: it can.
  std::optional<std::string> why_no_set_aside() const;
  // Blocks of kBlockThreads that fill the GPU.
  unsigned full_grid() const { return full_grid_; }
  void begin(const Experiment& experiment) { family_ = experiment.family; }

  // After two runs to warm up. `prepare` is not timed.
  Times on_gpu(int repetitions, const std::function<void(cudaStream_t)>& work,
               const std::function<void(cudaStream_t)>& prepare = {}) const;
  // The work waits for its own end.
  Times on_host(int repetitions, const std::function<void()>& work,
                const std::function<void()>& prepare = {}) const;

  // `expected` is what a closed form says of a time or of what follows from it; it has no verdict.
  void bandwidth(const Point& point, double bytes, const Times& times,
                 std::optional<double> expected_gb_s = {});
  void time(const Point& point, const Times& times, std::optional<double> expected_ns = {});
  // Events a nanosecond, for example requests.
  void rate(const Point& point, double events, const Times& times, std::optional<double> expected_g_s = {});
  void figure(const Point& point, std::string_view quantity, std::string_view unit, double value,
              std::optional<double> expected = {});
  // A fact with one right answer.
  void fact(const Point& point, std::string_view quantity, double expected, double measured,
            const std::string& note);
  void skipped(const Point& point, std::string_view quantity, const std::string& why);
  // A result that the host does not agree with is a failure of the case.
  void check(const std::string& name, std::uint64_t expected, std::uint64_t found);

  bool all_right() const { return all_right_; }

 private:
  model::Calibration row_of(const Point& point, std::string_view quantity, std::string_view unit) const;
  void write(const Measurement& measurement);
  int repetitions(int usual) const { return brief_ ? (usual + 2) / 3 : usual; }

  std::FILE* out_;
  bool brief_;
  bool all_right_ = true;
  cudaDeviceProp device_{};
  unsigned full_grid_ = 0;
  std::string family_;
  Stream stream_;
  cudaEvent_t began_ = nullptr, ended_ = nullptr;
};

// The function of an experiment, by its id; nullptr: there is none.
using Run = void (*)(Bench&);
Run experiment_code(std::string_view id);

}  // namespace coalescope::kernels
