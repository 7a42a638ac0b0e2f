#pragma once
// Writes what comes through one process's ring: its part of the capture, and the code of its modules beside
// it. In the writer process, where a fault of the other side costs that side's recording and nothing else.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "core/base/error.h"
#include "core/capture/writer.h"
#include "core/model/diagnostic.h"
#include "core/ring/ring.h"
#include "core/ring/row_decoder.h"

namespace coalescope::ring {

inline constexpr std::string_view kPartEnding = ".part.coal";
inline constexpr std::string_view kCodeEnding = ".code";

class PartWriter {
 public:
  PartWriter(Segment ring, std::string folder);
  ~PartWriter();
  PartWriter(const PartWriter&) = delete;
  PartWriter& operator=(const PartWriter&) = delete;

  // Takes what is there, as much as the ring holds at once; commits a few times a second. False: nothing was
  // there.
  bool step();
  // Takes the rest, and writes nothing more. What its process had begun and not completed is left out.
  void finish();
  [[nodiscard]] bool process_is_gone() const { return !ring_.has_writer(); }

 private:
  void take(const Frame& frame);
  void begin(const Frame& frame);
  void take_rows(const Frame& frame);
  void take_code(const Frame& frame);
  void commit();
  void check(const base::Result<void>& done);
  // A fault that ends this recording.
  void give_up(const char* code, const std::string& text);
  void say(model::Diagnostic& row);

  RingReader ring_;
  std::string folder_;
  std::string stem_;  // of this process's files; empty until it is told
  std::optional<capture::Writer> writer_;
  int code_file_ = -1;
  bool code_refused_ = false;
  bool given_up_ = false;
  bool complete_ = true;  // all that was taken so far
  std::chrono::steady_clock::time_point committed_ = std::chrono::steady_clock::now();
  model::Diagnostic refused_;  // rows that did not fit
  std::int64_t remarks_ = 0;
};

}  // namespace coalescope::ring
