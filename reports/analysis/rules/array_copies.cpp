// F03: whole arrays are copied within the device, for a large part of its time, or from where nothing else
// reads them.

#include <fmt/format.h>

#include "core/base/units.h"
#include "reports/analysis/figures/ratios.h"
#include "reports/analysis/rules/rules.h"

namespace coalescope::analysis {
namespace {

// Programs that are written well copy some arrays, too: of those of the jury that copy any, up to 15 %. Of
// those in which copies are at fault it is 27 % and more (docs/rules/F03.md).
constexpr double kLeastShare = 0.2;
// Nobody needs copies of what nothing else reads, however few they are.
constexpr double kLeastShareUnread = 0.01;
// Once is how programs begin.
constexpr std::int64_t kLeastArrayCopies = 2;

Advice copy_advice(const ArrayCopiesRow& row) {
  switch (row.what) {
    case ArrayCopy::repeated:
      return {"F03.broadcast",
              {},
              "These copies store the same elements many times. Broadcast them instead of repeating them "
              "(expand() or None in an index, not repeat()), and apply linear layers before the "
              "elements are repeated."};
    case ArrayCopy::joined:
      return {"F03.write_in_place",
              {},
              "Do not join arrays that you just made: allocate the whole once, and let each part be stored "
              "to its place. For an array that grows, allocate room and fill it. Or apply the next "
              "operation to the parts."};
    case ArrayCopy::converted:
      return {"F03.convert_less",
              {},
              "Convert an array that does not change once, before the loop. If only a part of it is used, "
              "take that part first and convert it then."};
    case ArrayCopy::rearranged:
      return {"F03.take_view",
              {},
              "Hand views to the next operation without contiguous(), reshape(), copy(), roll() or "
              "fftshift(): most operations, and kernels of your own that take strides, read any layout. Or "
              "let the operation before store the order in which the array is read."};
    case ArrayCopy::plain:
      break;
  }
  if (row.by_torch)
    return {"F03.no_clone",
            {},
            "Leave out clone() and copy_() where the original does not change before the copy is used; let "
            "operations store their results where they belong (out=)."};
  return {"F03.exchange",
          {},
          "Exchange the two pointers instead of copying from one array to the other, or let the kernel "
          "before store its results where they belong."};
}

Cost time_of_copies(const ArrayCopiesRow& row) {
  return {row.gpu_ns, fmt::format("all of the time of {} copies", base::format_count(row.copies))};
}

std::vector<Fact> facts_of(const ArrayCopiesRow& row) {
  return FactList().count("copies", row.copies, "copies").add("share", row.share, "share").take();
}

Assessment assess_array_copies(const ArrayCopiesSubject& subject) {
  const ArrayCopiesRow& row = subject.row;
  if (row.copies < kLeastArrayCopies || row.only_stored) return {measured(0)};
  const Measure share = measured(row.share);
  if (!share.reaches(kLeastShare)) return {share};
  return {
      share,
      time_of_copies(row),
      {facts_of(row), fmt::format("{} copies of whole arrays take {} of the GPU's time and compute nothing",
                                  base::format_count(row.copies), base::format_share(row.share))},
      copy_advice(row)};
}

Assessment assess_unread_originals(const ArrayCopiesSubject& subject) {
  const ArrayCopiesRow& row = subject.row;
  if (row.copies < kLeastArrayCopies || !row.only_stored) return {measured(0)};
  const Measure share = measured(row.share);
  if (!share.reaches(kLeastShareUnread)) return {share};
  return {share,
          time_of_copies(row),
          {facts_of(row),
           fmt::format("{} copies take {} of the GPU's time; kernels store to the arrays that are copied, "
                       "and load none of them",
                       base::format_count(row.copies), base::format_share(row.share))},
          copy_advice(row)};
}

}  // namespace

constinit const Rule<ArrayCopiesSubject> kArrayCopies{
    {.id = "F03",
     .title = "Arrays copied",
     .repair = "avoid copying arrays",
     .families = "none",
     .measure = "time of copies within the device that one function asks for / GPU time",
     .limit = kLeastShare,
     .unpriced_limit = kLeastShare,
     .note = false,
     .calibrated = "no family: the time of the copies themselves is measured",
     .price_error = 0.06,
     .is_of_calls = true},
    assess_array_copies,
    nullptr};

constinit const Rule<ArrayCopiesSubject> kUnreadOriginals{
    {.id = "F03",
     .title = "Arrays copied that nothing else reads",
     .repair = "avoid copying arrays",
     .families = "none",
     .measure = "time of copies of arrays that kernels only store to / GPU time",
     .limit = kLeastShareUnread,
     .unpriced_limit = kLeastShareUnread,
     .note = false,
     .calibrated = "no family: the time of the copies themselves is measured",
     .price_error = 0.06,
     .is_of_calls = true},
    assess_unread_originals,
    nullptr};

}  // namespace coalescope::analysis
