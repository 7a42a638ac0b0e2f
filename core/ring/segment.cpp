#include "core/ring/segment.h"

#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <sys/ipc.h>
#include <sys/shm.h>

namespace coalescope::ring {
namespace {

using base::ErrorCode;
using base::Result;

void* map(int id) {
  void* data = ::shmat(id, nullptr, 0);
  return data == reinterpret_cast<void*>(-1) ? nullptr : data;
}

}  // namespace

Result<Segment> Segment::create(std::size_t bytes) {
  const auto failed = [bytes](int code) {
    return base::failure(ErrorCode::failed,
                         fmt::format("no shared memory of {} bytes can be had from the system: {}", bytes,
                                     std::strerror(code)),
                         "allow System V shared memory here: see kernel.shmmax, kernel.shmall, and what this "
                         "container forbids");
  };
  const int id = ::shmget(IPC_PRIVATE, bytes, IPC_CREAT | SHM_NORESERVE | 0600);
  if (id < 0) return failed(errno);
  void* data = map(id);
  const int code = errno;
  // At once, so that nothing is left whatever ends us. Linux lets others attach by id while it is mapped.
  ::shmctl(id, IPC_RMID, nullptr);
  if (data == nullptr) return failed(code);
  return Segment(id, bytes, data);
}

Result<Segment> Segment::attach(int id, std::size_t bytes) {
  const auto failed = [id](const char* why) {
    return base::failure(ErrorCode::not_found,
                         fmt::format("the shared memory {} of coalescope cannot be mapped: {}", id, why));
  };
  shmid_ds status{};
  if (::shmctl(id, IPC_STAT, &status) != 0) return failed(std::strerror(errno));
  if (status.shm_segsz != bytes) return failed("it is another program's");
  void* data = map(id);
  if (data == nullptr) return failed(std::strerror(errno));
  return Segment(id, bytes, data);
}

Segment& Segment::operator=(Segment&& other) noexcept {
  detach();
  id_ = other.id_;
  bytes_ = other.bytes_;
  data_ = std::exchange(other.data_, nullptr);
  return *this;
}

void Segment::detach() noexcept {
  if (data_ != nullptr) ::shmdt(std::exchange(data_, nullptr));
}

std::size_t Segment::holders() const {
  shmid_ds status{};
  return ::shmctl(id_, IPC_STAT, &status) == 0 ? static_cast<std::size_t>(status.shm_nattch) : 0;
}

}  // namespace coalescope::ring
