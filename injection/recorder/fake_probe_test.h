#pragma once
// A phase probe for tests: counts what is asked of it, returns canned readings, fails where it is told to.

#include <string>
#include <vector>

#include "injection/recorder/phase_probe.h"

namespace coalescope::recorder {

class FakeProbe final : public PhaseProbe {
 public:
  base::Result<void> enter(const ContextHandle&, model::Phase phase) override {
    calls.push_back("enter " + std::string(model::name_of(phase)));
    if (fail_enter) return base::failure(*fail_enter);
    phase_ = phase;
    noted_ = 0;
    return {};
  }
  base::Result<void> begin(const LaunchInfo&) override {
    calls.emplace_back("begin");
    if (fail_begin) return base::failure(*fail_begin);
    ++noted_;
    return {};
  }
  void end() override { calls.emplace_back("end"); }
  [[nodiscard]] std::int64_t capacity(model::Phase phase) const override {
    return phase == model::Phase::lines ? 1 : range_capacity;
  }
  base::Result<WindowReadings> leave() override {
    calls.emplace_back("leave");
    if (fail_leave) return base::failure(*fail_leave);
    WindowReadings readings;
    readings.dropped = dropped;
    readings.valid = valid;
    if (phase_ == model::Phase::lines) {
      for (int i = 0; i < copies; ++i)
        readings.instructions.push_back({"kernel", 7, 16, {{model::MetricId::instruction_sectors, value}}});
      return readings;
    }
    const auto metric = phase_ == model::Phase::bytes     ? model::MetricId::global_load_bytes
                        : phase_ == model::Phase::traffic ? model::MetricId::l2_read_sectors
                                                          : model::MetricId::l2_hit_sectors;
    readings.metrics.push_back({metric, "key", "a_name_of_the_chip.sum", phase_, "sectors"});
    for (int i = 0; i < noted_ - missing_ranges; ++i) readings.launches.push_back({{metric, value}});
    if (phase_ == model::Phase::traffic && instructions > 0)
      for (auto& launch : readings.launches)
        launch.emplace_back(model::MetricId::executed_instructions, instructions);
    return readings;
  }
  void release(const ContextHandle&) override { calls.emplace_back("release"); }

  std::vector<std::string> calls;
  std::optional<base::Error> fail_enter, fail_begin, fail_leave;
  std::int64_t range_capacity = 64;
  std::int64_t value = 128;
  std::int64_t instructions = 0;  // of each launch; 0: not counted
  std::int64_t dropped = 0;
  int missing_ranges = 0;
  int copies = 1;  // of each instruction
  bool valid = true;

 private:
  model::Phase phase_ = model::Phase::trace;
  int noted_ = 0;
};

}  // namespace coalescope::recorder
