#pragma once
// A capture that bytes describe: one of a few small ones, with cells set to values near the ends of their
// ranges, rows copied, and bytes of the file changed. Any bytes describe one, so that whoever mutates them
// changes captures.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

struct sqlite3;

namespace coalescope::fuzz {

// Takes values off the front; of what has come to its end zeros.
class Bytes {
 public:
  explicit Bytes(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}
  [[nodiscard]] bool empty() const { return at_ >= bytes_.size(); }
  std::uint8_t byte() { return empty() ? std::uint8_t{0} : bytes_[at_++]; }
  std::size_t below(std::size_t count) { return byte() % count; }
  std::uint64_t word() {
    std::uint64_t value = 0;
    for (int i = 0; i < 8; ++i) value = value << 8U | byte();
    return value;
  }

 private:
  std::span<const std::uint8_t> bytes_;
  std::size_t at_ = 0;
};

// A file in memory that goes back to what it was after each change.
class ChangedCapture {
 public:
  // `capture` is a sealed one, and is read once.
  explicit ChangedCapture(const std::filesystem::path& capture);

  // Writes what the bytes make of it.
  void write(Bytes& bytes, const std::string& path);

 private:
  void change_rows(Bytes& bytes);
  [[nodiscard]] std::string content() const;

  struct Close {
    void operator()(sqlite3* connection) const;
  };
  std::unique_ptr<sqlite3, Close> connection_;
};

}  // namespace coalescope::fuzz
