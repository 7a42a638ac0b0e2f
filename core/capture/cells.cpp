#include "core/capture/cells.h"

#include <cmath>
#include <fmt/format.h>
#include <map>
#include <utility>

#include "core/capture/schema.h"

namespace coalescope::capture {
namespace {

using Type = CellSource::Type;

// By table and column, and where a query joins tables by the column alone.
class Ranges {
 public:
  Ranges() {
    for (const TableInfo& table : tables())
      for (const ColumnInfo& column : table.columns) {
        by_table_[{table.name, column.name}] = column.range;
        by_name_.emplace(column.name, column.range);
      }
  }

  [[nodiscard]] Range of(std::string_view table, std::string_view column) const {
    if (const auto own = by_table_.find({table, column}); own != by_table_.end()) return own->second;
    const auto other = by_name_.find(column);
    return other == by_name_.end() ? kAmount : other->second;
  }

 private:
  std::map<std::pair<std::string_view, std::string_view>, Range> by_table_;
  std::map<std::string_view, Range> by_name_;
};

}  // namespace

Cells::Cells(const CellSource& source, std::string_view table) : source_(source), table_(table) {
  static const Ranges kRanges;
  for (int column = 0; column < source.columns(); ++column)
    columns_.push_back({kRanges.of(table, source.column_name(column))});
}

bool Cells::check(Type type, std::int64_t number) {
  if (type != Type::integer) return refuse(type == Type::null ? "is missing" : "is no whole number");
  Column& held = columns_[at_];
  if (number < held.range.least || number > held.range.most) return refuse(held.range.least, held.range.most);
  if (!held.range.added_up || number < 0) return true;
  held.together += number;  // both are far from the ends of an int64
  return held.together <= kMostTogether ||
         refuse(fmt::format("makes the sum of the column more than {}", kMostTogether));
}

bool Cells::take_real(double& number) {
  if (source_.type(column()) != Type::real) return refuse("is no real number");
  number = source_.real(column());
  return std::abs(number) <= kMostReal || refuse(fmt::format("is beyond {:g}", kMostReal));
}

bool Cells::take_text(std::string_view& text) {
  if (source_.type(column()) != Type::text) return refuse("is no text");
  text = source_.text(column());
  if (text.size() > kMostTextBytes)
    return refuse(fmt::format("has {} bytes, more than {}", text.size(), kMostTextBytes));
  text_bytes_ += text.size();
  return text_bytes_ <= kMostTextBytesTogether ||
         refuse(fmt::format("makes its texts longer than {} bytes together", kMostTextBytesTogether));
}

bool Cells::take_blob(std::span<const std::byte>& bytes) {
  if (source_.type(column()) != Type::blob) return refuse("is no blob");
  bytes = source_.blob(column());
  return true;
}

std::int64_t Cells::number() const {
  std::int64_t value = 0;
  (void)source_.integer(column(), value);
  return value;
}

bool Cells::refuse(std::string why) {
  why_ = std::move(why);
  return false;
}

bool Cells::refuse_last(std::string why) {
  --at_;
  return refuse(std::move(why));
}

bool Cells::refuse(std::int64_t least, std::int64_t most) {
  return refuse(fmt::format("is {}, which is not between {} and {}", number(), least, most));
}

bool Cells::refuse_unknown() {
  return refuse(fmt::format("is {}, which this build does not know", number()));
}

std::string Cells::fault() const {
  return fmt::format("in row {} of '{}' the column '{}' {}", row_, table_, source_.column_name(column()),
                     why_);
}

}  // namespace coalescope::capture
