#pragma once
// Keeps the code of loaded modules beside the part file, so that source lines can be found once the target
// has ended. A cubin is valid only inside its callback and its checksum must not be computed there: it is
// appended to a file as it is, and coalescope_resolve does the rest.
//
// Code that is loaded again, by another context or device, is kept once.
//
// Format: for each module its size (64 bits, the machine's byte order), then its bytes.

#include <cstdint>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include "core/base/error.h"

namespace coalescope::cupti {

class ModuleStore {
 public:
  // The file is made when the first module comes.
  explicit ModuleStore(std::string path) : path_(std::move(path)) {}
  ~ModuleStore();
  ModuleStore(const ModuleStore&) = delete;
  ModuleStore& operator=(const ModuleStore&) = delete;

  // After an error nothing more is kept; the error is returned once.
  [[nodiscard]] base::Result<void> add(const void* cubin, std::size_t bytes);

 private:
  [[nodiscard]] bool append(const void* data, std::size_t bytes);

  const std::string path_;
  std::mutex mutex_;
  std::set<std::pair<std::uint64_t, std::uint64_t>> kept_;  // size and hash
  int file_ = -1;
  std::uint64_t written_bytes_ = 0;
  bool off_ = false;
};

}  // namespace coalescope::cupti
