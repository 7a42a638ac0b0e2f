// Random scripts, also with calls that fail at random: the program is unharmed, and what the capture holds is
// right.

#include <cstdint>
#include <cstdlib>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "tests/standin/harness_test.h"
#include "tests/standin/recorder_functions_test.h"

namespace standin {
namespace {

class RandomProgram {
 public:
  explicit RandomProgram(std::uint32_t seed) : random_(seed) {}

  std::string script() {
    std::string text;
    for (int i = 0; i < kKernels; ++i)
      text +=
          fmt::format("kernel k{} gpu_ns={} global_load_bytes={}{}\n", i, one_of({700, 3000, 20000, 300000}),
                      32 * (1 + below(400)), chance(4) ? " pointer" : "");
    text += "range r0 {\nsync\n}\n";  // no other thread may run while NVTX starts
    for (int i = 3 + below(12); i > 0; --i) text += of_main_thread();
    return text;
  }

  // An order that makes one of the recorder's calls fail, be missing, or take long.
  std::string fault() {
    const std::string& function = any_of(chance(3) ? kDriverFunctions : kCuptiFunctions);
    switch (below(4)) {
      case 0:
        return fmt::format("missing {}\n", function);
      case 1:
        return fmt::format("slow {} ns={}\n", function, one_of({1000, 1000000, 50000000}));
      default:
        return fmt::format("fail {} at={} times={} with={}\n", function, 1 + below(5), one_of({1, 2, 1000}),
                           one_of({1, 2, 7, 26, 35, 100, 999}));
    }
  }

  std::vector<std::string> flags() {
    static const std::vector<std::vector<std::string>> kFlags{{},
                                                              {"--budget", "none"},
                                                              {"--trace", "all"},
                                                              {"--trace", "50"},
                                                              {"--only", "trace"},
                                                              {"--only", "lines"},
                                                              {"--only", "bytes"},
                                                              {"--stacks", "none"},
                                                              {"--replay", "kernel"}};
    return any_of(kFlags);
  }

 private:
  static constexpr int kKernels = 5, kDeepest = 3;

  int below(int limit) { return static_cast<int>(random_() % static_cast<std::uint32_t>(limit)); }
  bool chance(int one_in) { return below(one_in) == 0; }
  template <class Value>
  const Value& any_of(const std::vector<Value>& values) {
    return values[static_cast<std::size_t>(below(static_cast<int>(values.size())))];
  }
  int one_of(const std::vector<int>& values) { return any_of(values); }

  std::string launch() {
    std::string text = fmt::format("launch k{} times={}", below(kKernels), one_of({1, 2, 5, 20, 60, 150}));
    if (chance(6)) text += fmt::format(" grid={} block={}", 1 + below(300), one_of({1, 32, 100, 256}));
    if (chance(12)) text += " growing";
    return text + '\n';
  }

  std::string copy() {
    switch (below(4)) {
      case 0:
        return fmt::format("copy to_device bytes={} times={}\n", one_of({4, 8192, 100000}),
                           one_of({1, 3, 40}));
      case 1:
        return fmt::format("copy to_host bytes={} times={}\n", one_of({4, 8192}), one_of({1, 3}));
      case 2:
        return fmt::format("copy from=4096 bytes=100 times={}\n", one_of({1, 40}));
      default:
        return fmt::format("set_memory address=4096 bytes=4 times={}\n", one_of({1, 10}));
    }
  }

  std::string block(const std::string& opening, int depth) {
    std::string text = opening + " {\n";
    for (int i = 1 + below(4); i > 0; --i) text += of_any_thread(depth + 1);
    return text + "}\n";
  }

  std::string of_any_thread(int depth) {
    switch (below(depth < kDeepest ? 16 : 14)) {
      case 0:
      case 1:
      case 2:
        return copy();
      case 3:
        return "sync\n";
      case 4:
        return fmt::format("sleep ms={}\n", one_of({1, 5}));
      case 5:
        return fmt::format("time {{\nlaunch k{} times={}\n}}\n", below(kKernels), 1 + below(4));
      case 6:
        return fmt::format("pin bytes=4096 times={}\n", 1 + below(5));
      case 7:
        return fmt::format("allocate mb={}\n", 1 + below(50));
      case 14:
        return block(fmt::format("repeat {}", 2 + below(3)), depth);
      case 15:
        return block(fmt::format("range r{}", below(3)), depth);
      default:
        return launch();
    }
  }

  std::string of_main_thread() {
    switch (below(9)) {
      case 0:
        return block(fmt::format("threads {}", 2 + below(5)), 1);
      case 3:
        return other_context();
      case 1:
        return graph();
      case 2:
        return fmt::format("launch k{} how={} stream=s{} times={}\n", below(kKernels),
                           chance(2) ? "ex" : "ex_cooperative", below(3), one_of({1, 20}));
      default:
        return of_any_thread(0);
    }
  }

  std::string other_context() {
    const std::string name = fmt::format("c{}", ++contexts_);
    std::string text = fmt::format("context {} device={}\n", name, below(2));
    for (int i = 1 + below(4); i > 0; --i) text += of_any_thread(1);
    return text + "use first\n" + (chance(2) ? "destroy " + name + '\n' : "");
  }

  std::string graph() {
    std::string text = fmt::format("stream_capture g{} {{\n", ++graphs_);
    for (int i = 1 + below(3); i > 0; --i) text += chance(3) ? copy() : launch();
    return text + fmt::format("}}\ngraph g{} times={}\n", graphs_, one_of({1, 3, 20}));
  }

  std::mt19937 random_;
  int graphs_ = 0, contexts_ = 0;
};

// STANDIN_SEED chooses other programs.
class RandomPrograms : public testing::TestWithParam<std::uint32_t> {
 protected:
  static constexpr std::uint32_t kPrograms = 5;
  static std::uint32_t seed(std::uint32_t program) {
    const char* first = std::getenv("STANDIN_SEED");
    return (first == nullptr ? 0 : static_cast<std::uint32_t>(std::atoi(first))) + GetParam() * kPrograms +
           program;
  }
};

TEST_P(RandomPrograms, AreUnharmedAndEachLaunchIsListedOrCounted) {
  for (std::uint32_t i = 0; i < kPrograms && !HasFailure(); ++i) {
    RandomProgram program(seed(i));
    const auto recorded = record(program.script(), program.flags());
    SCOPED_TRACE(recorded.script);
    expect_unharmed(recorded);
    expect_no_wrong_number(recorded);
    std::map<std::string, std::int64_t> counted;
    for (const auto& total : recorded.rows.launch_totals)
      counted[recorded.kernel_of(total.group_id)] += total.launches;
    for (const auto& [kernel, launches] : launches_in(recorded.script))
      EXPECT_EQ(recorded.launches_of(kernel) + counted[kernel], launches) << kernel;
  }
}

TEST_P(RandomPrograms, AreUnharmedWhateverMayFail) {
  for (std::uint32_t i = 0; i < kPrograms && !HasFailure(); ++i) {
    RandomProgram program(~seed(i));
    std::string script = program.script();
    for (int faults = 1 + static_cast<int>(i % 3); faults > 0; --faults) script += program.fault();
    const auto recorded = record(script, program.flags());
    SCOPED_TRACE(recorded.script);
    expect_unharmed(recorded);
    expect_no_wrong_number(recorded);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomPrograms, testing::Range(0U, 4U));

}  // namespace
}  // namespace standin
