#pragma once
// Numbers for people, the same in text, HTML and messages. Three digits are shown, which is what measurements
// of this kind are good for; a value that is not exactly 0 or 100 % is never rounded into looking as if it
// were.

#include <cstdint>
#include <string>
#include <string_view>

namespace coalescope::base {

// "128 MiB", "1.50 KiB", "37 B": powers of 1024, because sizes of arrays and caches come in them.
std::string format_bytes(double bytes);

// "850 ns", "61.6 us", "1.24 ms", "12.3 s".
std::string format_ns(std::int64_t ns);

// 0.125 is "12.5 %"; 0.00001 is "< 0.1 %", 0.99999 is "> 99.9 %", 1 is "100 %".
std::string format_share(double share);

// "1,048,576".
std::string format_count(std::int64_t count);

// "55.0 GB/s": powers of 1000, as data sheets have it.
std::string format_bandwidth(double bytes_per_second);

// A figure of a machine profile or of `calibrate` in its unit: "GB/s", "ns" and "bytes" are shown as above,
// any other one stands behind four digits.
std::string format_figure(double value, std::string_view unit);

// "31.9", "4.0", "1,024.0"; a ratio that is not 0 never shows as 0.0 but as "< 0.1".
std::string format_ratio(double ratio);

}  // namespace coalescope::base
