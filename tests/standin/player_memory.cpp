// The verbs of scripts that copy, set, move or allocate memory.

#include <chrono>
#include <cstdint>
#include <thread>

#include "tests/standin/player.h"
#include "tests/standin/player_calls.h"

namespace standin {

void Player::copy(const Statement& statement, Place& place) {
  need_context(place);
  const auto bytes = static_cast<std::size_t>(statement.number("bytes", 4096));
  const auto to = static_cast<CUdeviceptr>(statement.number("to", 4096));
  std::vector<std::int64_t> host(bytes / sizeof(std::int64_t) + 1);
  for (auto i = statement.number("times", 1); i > 0; --i) {
    if (!statement.has("same")) host[host.size() / 2] = i;
    const auto from = static_cast<CUdeviceptr>(statement.number("from", 0));
    if (from != 0)
      went_well("copy", cuMemcpyDtoDAsync(0, from, bytes, stream_of(statement, place)));
    else
      went_well("copy", statement.has("to_host")
                            ? cuMemcpyDtoHAsync(host.data(), 0, bytes, stream_of(statement, place))
                            : cuMemcpyHtoD(to, host.data(), bytes));
  }
}

void Player::set_memory(const Statement& statement, Place& place) {
  need_context(place);
  for (auto i = statement.number("times", 1); i > 0; --i)
    went_well("cuMemsetD8Async", cuMemsetD8Async(static_cast<CUdeviceptr>(statement.number("address", 4096)),
                                                 0, static_cast<std::size_t>(statement.number("bytes", 4096)),
                                                 stream_of(statement, place)));
}

// Pages of managed memory come to the device.
void Player::migrate(const Statement& statement, Place& place) {
  constexpr std::uint64_t kPage = 65'536;
  need_context(place);
  CUdeviceptr memory = 0;
  const auto pages = static_cast<std::uint64_t>(statement.number("times", 1));
  went_well("cuMemAllocManaged", cuMemAllocManaged(&memory, pages * kPage, CU_MEM_ATTACH_GLOBAL));
  for (std::uint64_t i = 0; i < pages; ++i) standin_migrate(memory + i * kPage, kPage);
  // Somebody that wants to know of no more may take that long to say so.
  for (auto ms = statement.number("unwatched_ms", 0); ms > 0 && standin_migrations_on() != 0; --ms)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

void Player::memory(const Statement& statement, Place&) {
  standin_free_memory(statement.number("free_mb", 0) << 20);
}

void Player::allocate(const Statement& statement, Place& place) {
  need_context(place);
  CUdeviceptr address = 0;
  went_well("cuMemAlloc", cuMemAlloc(&address, static_cast<std::size_t>(statement.number("mb", 1)) << 20));
}

// Memory of the host, which is given back at once unless it is kept.
void Player::pin(const Statement& statement, Place& place) {
  need_context(place);
  const auto bytes = static_cast<std::size_t>(statement.number("bytes", 4096));
  for (auto i = statement.number("times", 1); i > 0; --i) {
    if (statement.has("registered")) {
      std::vector<char> own(bytes);
      went_well("cuMemHostRegister", cuMemHostRegister(own.data(), bytes, 0));
      went_well("cuMemHostUnregister", cuMemHostUnregister(own.data()));
      continue;
    }
    void* memory = nullptr;
    if (!went_well("cuMemHostAlloc", cuMemHostAlloc(&memory, bytes, 0)) || statement.has("kept")) continue;
    went_well("cuMemFreeHost", cuMemFreeHost(memory));
  }
}

}  // namespace standin
