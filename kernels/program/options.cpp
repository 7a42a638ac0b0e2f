#include "kernels/program/options.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

#include "core/model/setting_values.h"

namespace coalescope::kernels {
namespace {

using base::ErrorCode;
using base::failure;
using base::Result;

// What a first look should show: one fault of each kind beside the clean copy.
constexpr std::array<std::string_view, 8> kShowcase{"sequential_copy",
                                                    "offset_copy/1",
                                                    "strided_copy/32",
                                                    "grid_strided_copy",
                                                    "broadcast",
                                                    "copy_host_to_device_pageable/67108864",
                                                    "copy_device_to_host_pageable/67108864",
                                                    "zero_copy_strided_read"};

constexpr int kMostLaunches = 10'000;
constexpr std::string_view kLaunches = "--launches", kMeasure = "--measure", kProgress = "--progress";

struct Flag {
  std::string_view name;
  bool Options::*member;
};
constexpr std::array kFlags{Flag{"--help", &Options::help},
                            Flag{"--list", &Options::list},
                            Flag{"--probe", &Options::probe},
                            Flag{"--showcase", &Options::showcase},
                            Flag{"--quiet", &Options::quiet},
                            Flag{"--brief", &Options::brief},
                            Flag{"--with-curves", &Options::with_curves},
                            Flag{"--list-twins", &Options::list_twins}};

struct List {
  std::string_view name;
  std::vector<std::string> Options::*member;
};
constexpr std::array kLists{List{"--family", &Options::families}, List{"--case", &Options::case_ids}};

struct Text {
  std::string_view name;
  std::string Options::*member;
};
constexpr std::array kTexts{Text{"--twin", &Options::twin}, Text{"--side", &Options::side}};

void split_into(std::vector<std::string>& parts, std::string_view list) {
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    if (comma > 0) parts.emplace_back(list.substr(0, comma));
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
}

Result<int> launches_in(std::string_view text) {
  const auto launches = model::read_number(text, 1);
  if (!launches || *launches > kMostLaunches)
    return failure(ErrorCode::usage, "--launches '" + std::string(text) + "' is not a number from 1 to " +
                                         std::to_string(kMostLaunches));
  return static_cast<int>(*launches);
}

// "20:60"
Result<ProgressSpan> span_in(std::string_view text) {
  ProgressSpan span;
  const char* const end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, span.from);
  const bool has_colon = first.ec == std::errc() && first.ptr != end && *first.ptr == ':';
  const auto second = has_colon ? std::from_chars(first.ptr + 1, end, span.to) : first;
  if (!has_colon || second.ec != std::errc() || second.ptr != end || span.from < 0 || span.to > 100 ||
      span.from > span.to)
    return failure(ErrorCode::usage, "--progress '" + std::string(text) + "' is no part of 0:100");
  return span;
}

// Of the options with a value of their own kind.
Result<void> take_value(Options& options, std::string_view name, std::string_view value) {
  if (name == kMeasure) {
    options.measure = value;
  } else if (name == kProgress) {
    return span_in(value).map([&](const ProgressSpan& span) { options.progress = span; });
  } else {
    return launches_in(value).map([&](int launches) { options.launches = launches; });
  }
  return {};
}

template <class Matches>
bool given_and_missing(const std::vector<std::string>& wanted, const Matches& matches) {
  return !wanted.empty() && std::ranges::none_of(wanted, matches);
}

}  // namespace

const char* usage() {
  return "usage: coalescope_kernels [--list | --probe] [--showcase] [--family A1,D] [--case ID] [--launches "
         "N] "
         "[--quiet]\n"
         "                          [--with-curves | --measure FILE] [--brief] [--progress FROM:TO]\n"
         "       coalescope_kernels --list-twins | --twin ID --side fault|clean\n"
         "Runs kernels and copies whose memory traffic is known, checks their output and times them.\n"
         "  --list        name the cases, run nothing (needs no GPU)\n"
         "  --probe       say whether there is a GPU to run on, run nothing\n"
         "  --showcase    one case of each kind of fault, and the clean copy\n"
         "  --family F    these families only; 'A' stands for all that begin with it\n"
         "  --case ID     these cases only, such as offset_copy/3\n"
         "  --launches N  run each case N times (16)\n"
         "  --quiet       print mistakes alone\n"
         "  --measure F   run the experiments of the families instead, and write a JSON object a line to F "
         "('-': "
         "stdout)\n"
         "  --with-curves after the cases run the experiments about L2, too, so that a recorder sees them\n"
         "  --brief       of the experiments, fewer points and repetitions\n"
         "  --progress A:B  say on stderr how far it is; this run is from A to B per cent of the whole\n"
         "  --list-twins  name the pairs of programs with and without a fault, and what is right to say of "
         "them\n"
         "  --twin ID     run one of such a pair, 20 times, and print its side and its time\n"
         "  --side S      which one: fault or clean; with --measure its time goes to a file, too\n"
         "Exit status: 0 done, 1 an output was wrong or a CUDA call failed, 2 usage, 3 this machine has not "
         "what the "
         "twin needs, 4 no GPU\n";
}

Result<Options> parse_options(std::span<const char* const> arguments) {
  Options options;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string name = arguments[i];
    if (const auto flag = std::ranges::find(kFlags, name, &Flag::name); flag != kFlags.end()) {
      options.*flag->member = true;
      continue;
    }
    const auto list = std::ranges::find(kLists, name, &List::name);
    const auto text = std::ranges::find(kTexts, name, &Text::name);
    const bool has_value = name == kLaunches || name == kMeasure || name == kProgress || text != kTexts.end();
    if (list == kLists.end() && !has_value)
      return failure(ErrorCode::usage, "unknown argument '" + name + "'", "see --help");
    if (++i == arguments.size()) return failure(ErrorCode::usage, name + " needs a value");
    if (list != kLists.end()) {
      split_into(options.*list->member, arguments[i]);
      continue;
    }
    if (text != kTexts.end()) {
      options.*text->member = arguments[i];
      continue;
    }
    if (const auto taken = take_value(options, name, arguments[i]); !taken) return base::relay(taken);
  }
  return options;
}

Result<std::optional<TwinSide>> select_twin(const Options& options) {
  if (options.twin.empty() && options.side.empty()) return std::nullopt;
  if (options.twin.empty() || options.side.empty())
    return failure(ErrorCode::usage, "--twin and --side need each other",
                   "such as '--twin offset_copy --side fault'");
  const auto twin = twin_named(options.twin);
  if (!twin) return base::relay(twin);
  const auto side = side_named(options.side);
  if (!side) return base::relay(side);
  return TwinSide{*twin, *side};
}

Result<std::vector<const Case*>> select_cases(const Options& options, std::span<const Case> all) {
  std::vector<const Case*> selected;
  for (const Case& one : all) {
    if (options.showcase && std::ranges::find(kShowcase, one.id) == kShowcase.end()) continue;
    if (given_and_missing(options.families, [&](const std::string& f) { return stands_for(f, one.family); }))
      continue;
    if (given_and_missing(options.case_ids, [&](const std::string& id) { return one.id == id; })) continue;
    selected.push_back(&one);
  }
  const bool has_experiments =
      options.case_ids.empty() && !options.showcase && !select_experiments(options.families).empty();
  if (selected.empty() && !has_experiments)
    return failure(ErrorCode::usage, "no case is selected by these options", "'--list' names the cases");
  return selected;
}

}  // namespace coalescope::kernels
