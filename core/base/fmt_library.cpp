// fmt's compiled part (cmake/FmtLibrary.cmake). Its header makes all of it but these, which others than fmt
// 9's own library are told to leave out.
#include <fmt/format-inl.h>

template auto fmt::detail::thousands_sep_impl(locale_ref) -> thousands_sep_result<char>;
template auto fmt::detail::decimal_point_impl(locale_ref) -> char;
template std::locale fmt::detail::locale_ref::get<std::locale>() const;
