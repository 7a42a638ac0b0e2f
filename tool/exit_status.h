#pragma once
// The exit statuses of coalescope, as docs/exit-codes.md explains them. `record` returns the target's own.

namespace coalescope::tool {

inline constexpr int kDone = 0;
inline constexpr int kDiffers = 1;        // calibrate: an answer is not the expected one
inline constexpr int kUnresolved = 1;     // resolve: a source line could not be looked up
inline constexpr int kStillRecorded = 1;  // recover: a recording goes on
inline constexpr int kFailed = 1;         // check: what the policy forbids; diff: what --fail-on names
inline constexpr int kCannotRecord = 1;   // doctor: something that recording needs is missing
inline constexpr int kNoCupti = 1;        // metrics: there is none to ask
inline constexpr int kUsage = 2;  // nothing was started: the command line or its surroundings are at fault
inline constexpr int kUnreadable = 3;       // the capture cannot be read
inline constexpr int kNoGpu = 4;            // calibrate: nothing to run on
inline constexpr int kNotComparable = 4;    // diff, check: too little in common, or measured
inline constexpr int kBug = 70;             // a bug of ours
inline constexpr int kNotExecutable = 126;  // as a shell says it
inline constexpr int kNotFound = 127;

}  // namespace coalescope::tool
