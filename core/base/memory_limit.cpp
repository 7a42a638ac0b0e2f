#include "core/base/memory_limit.h"

#include <algorithm>
#include <fstream>
#include <sys/resource.h>
#include <unistd.h>

namespace coalescope::base {
namespace {

// The sixth number of statm: pages of data and stack, which is what RLIMIT_DATA counts.
rlim_t data_bytes() {
  std::ifstream file("/proc/self/statm");
  rlim_t pages = 0;
  for (int number = 0; number < 6; ++number) file >> pages;
  return file ? pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE)) : 0;
}

}  // namespace

bool limit_memory(std::int64_t mib) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_DATA, &limit) != 0) return false;
  const rlim_t wanted = data_bytes() + static_cast<rlim_t>(mib) * 1024 * 1024;
  limit.rlim_cur = std::min(limit.rlim_cur, wanted);
  return ::setrlimit(RLIMIT_DATA, &limit) == 0;
}

}  // namespace coalescope::base
