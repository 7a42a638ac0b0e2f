#pragma once
// Data that go to the host and come back for the next kernel, told from loops over jobs, which upload and
// download in turn as well: there the first upload comes before any download, here each upload has had a
// download of its size before it. What comes back may also be much less, where the host reduces what it gets,
// as a program does that looks for the largest values by NumPy. Copies have times everywhere; kernels that
// were measured have none, so what stands beside them is known only by counts.

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace coalescope::analysis {

class RoundTrips {
 public:
  // In the order of time. `measured`: in or beside a window of measuring, where kernels may be missing.
  // `pause_ns`: since the operation before. Between copies the host has the data, and the GPU idles. Before
  // them the host makes room for the data, and behind them it launches what it could not launch before: these
  // pauses count up to as long as that one, because they may have other reasons.
  void add_kernel(std::int32_t group, std::int64_t pause_ns);
  void add_download(std::int64_t bytes, std::int64_t ns, std::int64_t pause_ns);
  void add_upload(std::int64_t bytes, std::int64_t ns, std::int64_t pause_ns, bool measured);
  // Anything else ran, or something that is not seen.
  void add_other() { end_downloads(); }
  void forget();

  struct Sum {
    // Bytes to the host, and back; time of both with the pauses.
    std::int64_t trips = 0, bytes = 0, bytes_back = 0, ns = 0;
    std::int32_t from = -1, to = -1;  // groups of the kernels around the first
  };
  [[nodiscard]] Sum sum() const;

 private:
  struct Upload {
    std::int32_t from = -1, to = -1;  // the kernels around; -1: not seen
    std::int64_t bytes = 0;           // of the download that it follows
    std::int64_t downloads = 0;       // of that size before it
    std::int64_t ns = 0;              // both ways, and the pauses
    std::int64_t between_ns = 0;      // of it, the pauses between copies
    bool known = false;               // nothing was measured beside it
    bool follows = false;             // that download, with nothing but copies between
  };
  using Downloads = std::multimap<std::int64_t, std::int64_t>;
  struct OfSize {
    std::int64_t downloads = 0;
    std::vector<Upload> uploads;
  };
  void end_downloads();
  [[nodiscard]] Downloads::iterator source_of(std::int64_t upload_bytes);
  void add_trips(Sum& sum, std::int64_t bytes, const std::vector<Upload>& uploads, std::int32_t to) const;

  std::map<std::int64_t, OfSize> sizes_;                       // by bytes
  std::vector<std::pair<std::int64_t, std::size_t>> waiting_;  // uploads before the next kernel
  std::int32_t last_kernel_ = -1;
  // Bytes and time of those since the last kernel that were not uploaded again.
  Downloads downloads_;
  std::int64_t pauses_ns_ = 0;  // between them, and of no upload yet
  std::int64_t before_ns_ = 0;  // the pause before the first of them
};

}  // namespace coalescope::analysis
