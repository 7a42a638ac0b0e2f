#include "kernels/options.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

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
constexpr std::string_view kLaunches = "--launches";

struct Flag {
  std::string_view name;
  bool Options::*member;
};
constexpr std::array kFlags{Flag{"--help", &Options::help}, Flag{"--list", &Options::list},
                            Flag{"--probe", &Options::probe}, Flag{"--showcase", &Options::showcase},
                            Flag{"--quiet", &Options::quiet}};

struct List {
  std::string_view name;
  std::vector<std::string> Options::*member;
};
constexpr std::array kLists{List{"--family", &Options::families}, List{"--case", &Options::case_ids}};

void split_into(std::vector<std::string>& parts, std::string_view list) {
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    if (comma > 0) parts.emplace_back(list.substr(0, comma));
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
}

Result<int> launches_in(std::string_view text) {
  int launches = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), launches);
  if (error != std::errc() || end != text.data() + text.size() || launches < 1 || launches > kMostLaunches)
    return failure(ErrorCode::usage, "--launches '" + std::string(text) + "' is not a number from 1 to " +
                                         std::to_string(kMostLaunches));
  return launches;
}

// 'A' for A1 to A12; but 'A1' not for A10.
bool stands_for(std::string_view wanted, std::string_view family) {
  return wanted.size() == 1 ? family.starts_with(wanted) : family == wanted;
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
         "Runs kernels and copies whose memory traffic is known, checks their output and times them.\n"
         "  --list        name the cases, run nothing (needs no GPU)\n"
         "  --probe       say whether there is a GPU to run on, run nothing\n"
         "  --showcase    one case of each kind of fault, and the clean copy\n"
         "  --family F    these families only; 'A' stands for all that begin with it\n"
         "  --case ID     these cases only, such as offset_copy/3\n"
         "  --launches N  run each case N times (16)\n"
         "  --quiet       print mistakes alone\n"
         "Exit status: 0 done, 1 an output was wrong or a CUDA call failed, 2 usage, 4 no GPU\n";
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
    if (list == kLists.end() && name != kLaunches)
      return failure(ErrorCode::usage, "unknown argument '" + name + "'", "see --help");
    if (++i == arguments.size()) return failure(ErrorCode::usage, name + " needs a value");
    if (list != kLists.end()) {
      split_into(options.*list->member, arguments[i]);
      continue;
    }
    const auto launches = launches_in(arguments[i]);
    if (!launches) return tl::unexpected(launches.error());
    options.launches = *launches;
  }
  return options;
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
  if (selected.empty())
    return failure(ErrorCode::usage, "no case is selected by these options", "'--list' names the cases");
  return selected;
}

}  // namespace coalescope::kernels
