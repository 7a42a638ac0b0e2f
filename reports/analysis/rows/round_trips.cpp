#include "reports/analysis/rows/round_trips.h"

#include <algorithm>
#include <set>
#include <utility>

#include "core/base/whole.h"

namespace coalescope::analysis {
namespace {

// What the host makes of data when it reduces them: at most so large a part, and more than a few values.
constexpr std::int64_t kReduction = 8, kLeastReducedBytes = 128;

}  // namespace

void RoundTrips::add_kernel(std::int32_t group, std::int64_t pause_ns) {
  for (const auto& [bytes, at] : waiting_) {
    Upload& upload = sizes_[bytes].uploads[at];
    upload.to = group;
    const std::int64_t behind_ns = std::min(pause_ns, upload.between_ns);
    base::add_to(upload.ns, behind_ns);
    pause_ns -= behind_ns;
  }
  waiting_.clear();
  last_kernel_ = group;
  end_downloads();
}

void RoundTrips::end_downloads() {
  downloads_.clear();
  pauses_ns_ = before_ns_ = 0;
}

void RoundTrips::add_download(std::int64_t bytes, std::int64_t ns, std::int64_t pause_ns) {
  ++sizes_[bytes].downloads;
  if (downloads_.empty())
    before_ns_ = pause_ns;
  else
    base::add_to(pauses_ns_, pause_ns);
  downloads_.emplace(bytes, ns);
}

// Of the size of the upload, or else what the host has reduced to it.
RoundTrips::Downloads::iterator RoundTrips::source_of(std::int64_t upload_bytes) {
  const auto same = downloads_.find(upload_bytes);
  if (same != downloads_.end() || downloads_.empty() || upload_bytes < kLeastReducedBytes) return same;
  const auto largest = std::prev(downloads_.end());
  return upload_bytes <= largest->first / kReduction ? largest : downloads_.end();
}

void RoundTrips::add_upload(std::int64_t bytes, std::int64_t ns, std::int64_t pause_ns, bool measured) {
  OfSize& of_size = sizes_[bytes];
  Upload upload;
  upload.from = last_kernel_;
  upload.known = !measured;
  const auto download = source_of(bytes);
  upload.follows = download != downloads_.end();
  upload.bytes = upload.follows ? download->first : bytes;
  upload.downloads = sizes_[upload.bytes].downloads;
  upload.ns = ns;
  if (upload.follows) {
    upload.between_ns = std::exchange(pauses_ns_, 0) + pause_ns;
    upload.ns +=
        download->second + upload.between_ns + std::min(std::exchange(before_ns_, 0), upload.between_ns);
    downloads_.erase(download);
  } else {
    end_downloads();  // the host has other data to bring
  }
  waiting_.emplace_back(bytes, of_size.uploads.size());
  of_size.uploads.push_back(upload);
}

void RoundTrips::forget() {
  waiting_.clear();
  last_kernel_ = -1;
  end_downloads();
}

// Uploads of one size for one kernel; those for a kernel that was not seen may be for this one.
void RoundTrips::add_trips(Sum& sum, std::int64_t bytes, const std::vector<Upload>& uploads,
                           std::int32_t to) const {
  std::int64_t all = 0, seen = 0, ns = 0, down = 0;
  std::int32_t from = -1;
  for (const Upload& upload : uploads) {
    if (upload.to != to && upload.to >= 0) continue;
    if (upload.downloads < ++all) return;
    if (!upload.known || upload.to != to) continue;
    if (!upload.follows) return;
    if (seen++ == 0) from = upload.from;
    ns += upload.ns;
    base::add_to(down, upload.bytes);
  }
  if (seen == 0) return;
  if (sum.trips == 0) {
    sum.from = from;
    sum.to = to;
  }
  const double times = static_cast<double>(all) / static_cast<double>(seen);
  sum.trips += all;
  base::add_to(sum.bytes, base::whole(static_cast<double>(down) * times));
  base::add_to(sum.bytes_back, base::product_of(all, bytes));
  base::add_to(sum.ns, base::whole(static_cast<double>(ns) * times));
}

RoundTrips::Sum RoundTrips::sum() const {
  Sum sum;
  for (const auto& [bytes, of_size] : sizes_) {
    std::set<std::int32_t> kernels;  // after a round trip
    for (const Upload& upload : of_size.uploads)
      if (upload.known && upload.follows && upload.to >= 0) kernels.insert(upload.to);
    for (const std::int32_t kernel : kernels) add_trips(sum, bytes, of_size.uploads, kernel);
  }
  return sum;
}

}  // namespace coalescope::analysis
