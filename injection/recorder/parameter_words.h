#pragma once
// Tells the launches of one kernel and shape apart by what they are given: by the 32-bit words of their
// parameters, those inside of structures and the halves of pointers among them, and by which of their
// pointers lead to memory of the host.
//
// A word that takes many values, as counters and the addresses of ever new tensors do, says nothing about
// what a launch does to memory. It is left out from then on, and launches that differed in nothing else
// become one.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "core/model/ids.h"
#include "core/model/memory.h"
#include "injection/recorder/host_memory.h"
#include "injection/recorder/launch_info.h"

namespace coalescope::recorder {

// Where a parameter lies among all of a kernel's parameters.
struct ParameterPlace {
  std::size_t offset = 0;
  std::size_t bytes = 0;
};

// A hash of the layout; never 0.
[[nodiscard]] std::uint64_t layout_of(const std::vector<ParameterPlace>& places);

class ParameterWords {
 public:
  // More are not distinguished.
  static constexpr int kMostVariants = 8;

  // `host_memory` must live as long as this.
  ParameterWords(std::vector<ParameterPlace> places, const HostMemory& host_memory);

  // From 0, in the order in which they come.
  [[nodiscard]] int variant_of(const LaunchInfo& launch, std::optional<model::CallSiteId> call_site = {});
  // From now on launches from different call sites are different variants. The variants that are known so far
  // get only launches whose site is unknown.
  void use_call_sites();
  // Launches with the same key are the same variant. By any thread at any time.
  [[nodiscard]] std::uint64_t key_of(const LaunchInfo& launch,
                                     std::optional<model::CallSiteId> call_site) const;
  [[nodiscard]] int variants() const { return static_cast<int>(known_.size()); }
  // The first variant from which it is not distinguished any more; mostly itself.
  [[nodiscard]] int first_like(int variant) const;
  // `group_id` is not set.
  [[nodiscard]] std::vector<model::ParameterValues> values() const;
  // How a launch of one differs from a launch of the other, in a few words: "parameter 3: 1, not 512".
  [[nodiscard]] std::string difference(int variant, int from) const;

 private:
  using Word = std::uint32_t;
  using Words = std::vector<Word>;
  static constexpr std::size_t kWordBytes = sizeof(Word);
  static constexpr std::size_t kMostValues = 4;  // of a word that tells launches apart

  struct Seen {
    std::array<Word, kMostValues> values{};
    std::uint8_t count = 0;
    bool left_out = false;
    std::size_t newest = 0;  // learned_ when it got its last value
  };
  struct Run {
    std::size_t first = 0, last = 0;  // words, without the last
  };
  // A part of a parameter that read() copies, and where to in the image of all parameters.
  struct Piece {
    std::uint32_t parameter = 0, skipped = 0, place = 0, bytes = 0;
  };
  // What tells launches apart at one time.
  struct Telling {
    std::uint64_t number = 0;  // unique in the process
    std::vector<Piece> pieces;
    bool call_site = false;
  };

  void read(const LaunchInfo& launch, std::optional<model::CallSiteId> call_site);
  void read_memory();
  [[nodiscard]] bool same(const Words& one, const Words& other) const;  // in what is not left out
  [[nodiscard]] int find(const Words& words) const;
  [[nodiscard]] int learn();
  [[nodiscard]] int distinct() const;
  void leave_out(std::size_t word);
  void leave_out_the_busiest();
  void find_runs();
  [[nodiscard]] std::vector<Piece> pieces() const;
  [[nodiscard]] std::optional<model::ParameterValues> values_at(std::size_t word, bool pointer) const;
  [[nodiscard]] bool memory_tells() const;  // whether pointers to the host's memory still tell launches apart
  [[nodiscard]] bool is_pointer(const Words& words, std::size_t word) const;
  [[nodiscard]] bool leads_to_host(const Words& words, std::size_t word) const;
  [[nodiscard]] std::string difference(std::size_t parameter, std::size_t word, const Words& one,
                                       const Words& other) const;

  std::vector<ParameterPlace> places_;
  const HostMemory& host_memory_;
  std::size_t given_ = 0;  // words that are parameters; behind them one bit for each of the first pointers,
                           // and last the call site
  Words words_;            // of the launch that is looked at
  std::vector<Seen> seen_;
  std::vector<Run> runs_;            // of words that are not left out
  std::deque<Telling> all_telling_;  // other threads may still read those before the last
  std::atomic<const Telling*> telling_{nullptr};
  std::vector<Words> known_;  // of the first launch of each variant
  std::size_t learned_ = 0;
  int last_ = -1;
};

}  // namespace coalescope::recorder
