#pragma once
// Serves all processes of one run: keeps rings on offer, writes what comes through those that were taken, and
// gives them up when their processes have ended.

#include <map>
#include <memory>
#include <string>

#include "core/ring/control.h"
#include "core/ring/part_writer.h"

namespace coalescope::ring {

class Server {
 public:
  Server(Control& control, std::string folder) : control_(control), folder_(std::move(folder)) {}

  // False: there was nothing to do.
  bool step();
  // The program has ended: takes what is there, and completes every part. Processes that go on go on
  // unrecorded.
  void finish();
  [[nodiscard]] bool serves_nobody() const { return parts_.empty(); }

 private:
  void offer_rings();
  bool take_claimed();
  bool welcome();
  bool serve();

  Control& control_;
  std::size_t wanted_ = 0;  // rings on offer
  const std::string folder_;
  std::map<std::size_t, Segment> offered_;  // by their slots
  std::map<std::size_t, std::unique_ptr<PartWriter>> parts_;
};

}  // namespace coalescope::ring
