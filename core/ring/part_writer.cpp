#include "core/ring/part_writer.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <utility>

#include "core/capture/cells.h"
#include "core/ring/note.h"

namespace coalescope::ring {
namespace {

using base::Result;
using capture::OnConflict;
using namespace std::chrono_literals;

constexpr auto kCommitEvery = 250ms;
// A row that does not fit costs itself; a full disk refuses every row, and then trying on only costs time.
constexpr std::int64_t kMostRefused = 100;
constexpr std::size_t kMostStemBytes = 200;
// The process numbers its own remarks from 1.
constexpr std::int64_t kFirstRemark = 1'000'000;

template <class Row>
Result<void> write_row(const RowColumns& columns, OnConflict on_conflict, capture::Writer& writer) {
  const auto refuse = [](base::ErrorCode code, const std::string& why) {
    return base::failure(code, fmt::format("no row of the table '{}': {}", capture::Table<Row>::kName, why));
  };
  if (columns.columns() !=
      capture::Table<Row>::kColumns([](const auto&... column) { return sizeof...(column); }))
    return refuse(base::ErrorCode::damaged, fmt::format("it has {} columns", columns.columns()));
  Row row;
  capture::Cells cells(columns, capture::Table<Row>::kName);
  // The bytes are a row, but the capture does not take one of its values: the rows after it are still good.
  if (!cells.take_row(row)) return refuse(base::ErrorCode::failed, cells.fault());
  return on_conflict == OnConflict::replace ? writer.replace(row) : writer.insert(row);
}

using WriteRow = Result<void> (*)(const RowColumns&, OnConflict, capture::Writer&);
constexpr auto kWriteRow = []<std::size_t... index>(std::index_sequence<index...>) {
  return std::array<WriteRow, capture::kTableCount>{
      &write_row<std::tuple_element_t<index, capture::Tables>>...};
}
(std::make_index_sequence<capture::kTableCount>());

bool is_file_name(std::string_view name) {
  return !name.empty() && name.size() <= kMostStemBytes && name.front() != '.' &&
         name.find_first_of(std::string_view("/\0", 2)) == std::string_view::npos;
}

bool write_all(int file, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const auto done = ::write(file, bytes.data(), bytes.size());
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(done));
  }
  return true;
}

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

PartWriter::PartWriter(Segment ring, std::string folder)
    : ring_(std::move(ring)), folder_(std::move(folder)) {
  refused_.severity = model::Severity::error;
  refused_.origin = "capture";
  refused_.code = "row_refused";
  refused_.count = 0;
}

PartWriter::~PartWriter() {
  if (code_file_ >= 0) ::close(code_file_);
}

bool PartWriter::step() {
  bool found = false;
  // No more than a ring's worth: others wait, too.
  for (std::size_t bytes = 0; bytes < kRingBytes;) {
    const auto frame = ring_.next();
    if (!frame) break;
    found = true;
    bytes += frame->payload.size();
    take(*frame);
  }
  if (ring_.damaged())
    give_up("ring_damaged",
            "the memory through which this process is recorded was overwritten, by the process itself: what "
            "it did "
            "from then on is missing");
  if (complete_ && std::chrono::steady_clock::now() - committed_ >= kCommitEvery) commit();
  return found;
}

// Closed first: a process that goes on must not keep us.
void PartWriter::finish() {
  ring_.close();
  while (step()) {
  }
  if (complete_) commit();
  writer_.reset();  // takes back what is not committed
}

void PartWriter::take(const Frame& frame) {
  if (given_up_) return;
  switch (frame.kind) {
    case FrameKind::begin:
      return begin(frame);
    case FrameKind::rows:
    case FrameKind::rows_begun:
      return take_rows(frame);
    case FrameKind::code:
      return take_code(frame);
  }
}

void PartWriter::begin(const Frame& frame) {
  const auto name = text_of(frame.payload);
  if (!stem_.empty() || !is_file_name(name))
    return give_up("ring_damaged", "this process gave itself no usable name");
  stem_ = folder_ + "/" + std::string(name);
  auto writer = capture::Writer::create(stem_ + std::string(kPartEnding));
  if (!writer) return give_up("not_written", writer.error().text());
  writer_.emplace(std::move(*writer));
}

// Rows of which more are to come begin a transaction of their own, so that they can be taken back alone.
void PartWriter::take_rows(const Frame& frame) {
  if (!writer_) return give_up("ring_damaged", "rows came before the name of their process");
  if (complete_ && frame.kind == FrameKind::rows_begun) commit();
  complete_ = frame.kind == FrameKind::rows;
  RowDecoder rows(frame.payload);
  while (const EncodedRow* row = rows.next()) {
    check(kWriteRow[row->table](row->columns, row->on_conflict, *writer_));
    if (given_up_) return;
  }
  if (rows.damaged()) check(base::failure(base::ErrorCode::damaged, "bytes that are no row"));
}

void PartWriter::check(const Result<void>& done) {
  if (done) return;
  if (done.error().code == base::ErrorCode::damaged)
    return give_up("ring_damaged", "what this process sent could not be understood: " + done.error().text() +
                                       "; what it did from then on is missing");
  ++refused_.count;
  if (refused_.text.empty()) refused_.text = done.error().text();
  say(refused_);
  if (refused_.count < kMostRefused) return;
  complete_ = true;
  give_up("not_written", "the capture took no more rows: " + refused_.text);
}

void PartWriter::take_code(const Frame& frame) {
  if (stem_.empty()) return give_up("ring_damaged", "code came before the name of its process");
  if (code_refused_) return;
  const std::string path = stem_ + std::string(kCodeEnding);
  if (code_file_ < 0) code_file_ = ::open(path.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
  if (code_file_ >= 0 && write_all(code_file_, frame.payload)) return;
  code_refused_ = true;
  model::Diagnostic row;
  row.severity = model::Severity::error;
  row.origin = "modules";
  row.code = "not_kept";
  row.text = fmt::format(
      "the code of loaded modules could not be kept in '{}': {}; instructions of later modules will "
      "have no source line",
      path, std::strerror(errno));
  say(row);
}

void PartWriter::commit() {
  committed_ = std::chrono::steady_clock::now();
  if (!writer_) return;
  if (const auto done = writer_->commit(); !done) give_up("not_written", done.error().text());
}

// Under one number, however often it is said.
void PartWriter::say(model::Diagnostic& row) {
  if (row.id == 0) row.id = kFirstRemark + remarks_++;
  row.process_id = model::ProcessId{1};
  if (writer_) (void)writer_->replace(row);
}

// In the part, or, where it takes no more, beside it.
void PartWriter::give_up(const char* code, const std::string& text) {
  if (std::exchange(given_up_, true)) return;
  ring_.close();
  if (writer_) {
    if (!std::exchange(complete_, true)) (void)writer_->roll_back();
    model::Diagnostic row;
    row.severity = model::Severity::error;
    row.origin = "recorder";
    row.code = code;
    row.text = text;
    say(row);
    if (writer_->commit()) return;
  }
  leave_note(folder_, stem_.empty() ? "process" : stem_.substr(folder_.size() + 1), text);
}

}  // namespace coalescope::ring
