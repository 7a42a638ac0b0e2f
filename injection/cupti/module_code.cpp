#include "injection/cupti/module_code.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace coalescope::cupti {

base::Result<ModuleCode> ModuleCode::open(const std::string& path) {
  const auto failed = [&path] {
    return base::failure(base::ErrorCode::failed,
                         "cannot read the modules' code in '" + path + "': " + std::strerror(errno));
  };
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return failed();
  struct stat status {};
  void* data = MAP_FAILED;
  if (fstat(file, &status) == 0 && status.st_size > 0)
    data = mmap(nullptr, static_cast<std::size_t>(status.st_size), PROT_READ, MAP_PRIVATE, file, 0);
  close(file);
  if (data == MAP_FAILED) return failed();
  return ModuleCode(static_cast<const std::byte*>(data), static_cast<std::size_t>(status.st_size));
}

ModuleCode::ModuleCode(ModuleCode&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), bytes_(other.bytes_) {}

ModuleCode::~ModuleCode() {
  if (data_ != nullptr) munmap(const_cast<std::byte*>(data_), bytes_);
}

std::vector<Cubin> ModuleCode::all() const {
  std::vector<Cubin> cubins;
  std::size_t position = 0;
  while (bytes_ - position > sizeof(std::uint64_t)) {
    std::uint64_t size = 0;
    std::memcpy(&size, data_ + position, sizeof size);
    position += sizeof size;
    if (size > bytes_ - position) break;
    cubins.emplace_back(data_ + position, static_cast<std::size_t>(size));
    position += static_cast<std::size_t>(size);
  }
  return cubins;
}

}  // namespace coalescope::cupti
