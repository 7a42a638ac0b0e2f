// The compiled part of fmt 9 (cmake/FmtLibrary.cmake). The header defines all of it; it declares these
// templates extern, so they are instantiated here.
#include <fmt/format-inl.h>

template auto fmt::detail::thousands_sep_impl(locale_ref) -> thousands_sep_result<char>;
template auto fmt::detail::decimal_point_impl(locale_ref) -> char;
template std::locale fmt::detail::locale_ref::get<std::locale>() const;
