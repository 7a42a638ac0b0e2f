#pragma once
// How a row of the report is declared: each of its fields once, with all that a format needs of it. JSON, its
// schema, CSV, the tables of the long text and those of the page read the declarations, which are in
// kernel_fields.h, row_fields.h and program_fields.h.

#include <concepts>
#include <optional>
#include <string_view>

#include "core/base/pack.h"
#include "core/model/enums.h"

namespace coalescope::analysis {

// How people see a value.
enum class Show {
  hidden,     // ids and the like: for programs only
  parts,      // a struct: each of its fields for itself
  text,       // words, an enumeration by its name, the number of a line
  flag,       // yes or no
  name,       // of the recorded program: a kernel, a file, a line of source
  count,      // "4,194,304"
  bytes,      // "256 MiB"
  ns,         // "61.6 us"
  share,      // of a whole: "12.5 %"
  degree,     // a share that caches may raise above 1, which then shows as "> 100 %"
  ratio,      // "31.9"
  bandwidth,  // "55.0 GB/s"
  clock,      // "1,980 MHz", of kHz
  shape,      // "64x8", of a grid
  address     // "0x3d0"
};

// Why a row may have no value for a field.
template <class Row>
struct Lack {
  std::optional<model::Phase> phase = std::nullopt;  // it is measured in this one
  std::optional<model::Phase> also = std::nullopt;   // and in this one
  bool (*nothing)(const Row&) = nullptr;  // there is nothing that could have it, whatever is counted
  std::string_view reason = "the capture does not say why";
};

// A member of a row. Formats take from its type whether it may be missing.
template <class RowType, class ValueType>
struct Field {
  using Row = RowType;
  using Value = ValueType;

  std::string_view key;  // in JSON
  Value Row::*member;
  std::string_view column;  // in CSV, with its unit, "": not there; of a struct, what its columns begin with
  std::string_view label;   // heading of a table; "L2: hits" stands under "L2"
  Show show = Show::hidden;
  std::string_view unit;   // behind the exact value: "sectors", "of the run's GPU time"
  std::string_view about;  // what it means and how it is computed; "": its name says it
  Lack<Row> lack = {};
};
template <class Row, class Value>
Field(std::string_view, Value Row::*, std::string_view, std::string_view, Show, std::string_view,
      std::string_view, Lack<Row> = {}) -> Field<Row, Value>;
// For programs only.
template <class Row, class Value>
Field(std::string_view, Value Row::*, std::string_view) -> Field<Row, Value>;

// Specialised for each row struct: kName (of its definition in the schema), kAbout, kAll (a pack of fields).
template <class Row>
struct Fields;

template <class Row>
concept HasFields = requires {
  Fields<Row>::kAll;
};

template <HasFields Row, class Visit>
constexpr void for_each_field(Visit&& visit) {
  Fields<Row>::kAll([&](const auto&... field) { (visit(field), ...); });
}

}  // namespace coalescope::analysis
