#pragma once
// The counter data image: memory of the caller's, which the range profiler fills when it decodes and the host
// side reads. Here: a header, a checksum of each metric's name, and a row of values for each range.

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/standin/code.h"

namespace standin {

class CounterData {
 public:
  CounterData(std::uint8_t* image, std::size_t bytes) : image_(image), bytes_(bytes) {
    if (image != nullptr && bytes >= sizeof header_) std::memcpy(&header_, image, sizeof header_);
  }

  [[nodiscard]] static std::size_t bytes_for(std::size_t metrics, std::size_t capacity) {
    return sizeof(Header) + metrics * sizeof(std::uint64_t) + metrics * capacity * sizeof(double);
  }

  void initialize(const std::vector<std::string>& names, std::size_t capacity) {
    header_ = {kMagic, names.size(), capacity, 0};
    std::memcpy(image_, &header_, sizeof header_);
    for (std::size_t i = 0; i < names.size(); ++i) put(name_at(i), std::uint64_t{checksum(names[i])});
  }

  [[nodiscard]] bool valid() const {
    return header_.magic == kMagic && bytes_ == bytes_for(header_.metrics, header_.capacity);
  }
  [[nodiscard]] std::size_t ranges() const { return header_.ranges; }

  // False: there is no room for another range.
  bool add(const std::vector<std::string>& names, const std::vector<double>& values) {
    if (header_.ranges == header_.capacity) return false;
    for (std::size_t i = 0; i < names.size(); ++i)
      if (const auto column = find(names[i])) put(value_at(header_.ranges, *column), values[i]);
    ++header_.ranges;
    std::memcpy(image_, &header_, sizeof header_);
    return true;
  }

  [[nodiscard]] std::optional<double> value(std::size_t range, std::string_view name) const {
    const auto column = find(name);
    if (!column) return std::nullopt;
    double value = 0;
    std::memcpy(&value, image_ + value_at(range, *column), sizeof value);
    return value;
  }

 private:
  static constexpr std::uint64_t kMagic = 0x5441444E41545323;
  struct Header {
    std::uint64_t magic = 0;
    std::uint64_t metrics = 0;
    std::uint64_t capacity = 0;
    std::uint64_t ranges = 0;
  };

  static std::size_t name_at(std::size_t column) { return sizeof(Header) + column * sizeof(std::uint64_t); }
  [[nodiscard]] std::size_t value_at(std::size_t range, std::size_t column) const {
    return name_at(header_.metrics) + (range * header_.metrics + column) * sizeof(double);
  }
  template <class Value>
  void put(std::size_t position, Value value) {
    std::memcpy(image_ + position, &value, sizeof value);
  }
  [[nodiscard]] std::optional<std::size_t> find(std::string_view name) const {
    for (std::size_t i = 0; i < header_.metrics; ++i) {
      std::uint64_t hash = 0;
      std::memcpy(&hash, image_ + name_at(i), sizeof hash);
      if (hash == checksum(name)) return i;
    }
    return std::nullopt;
  }

  std::uint8_t* image_;
  std::size_t bytes_;
  Header header_;
};

}  // namespace standin
