#pragma once
// The ways in which foreign text enters the page. Kernel names hold '<', '>' and '&', and a capture may
// come from somebody who means harm, so nothing else may put text into markup.
//
// They all make the text valid UTF-8 first and show what a reader could not see: a control character becomes
// its picture ("␀"), a character that changes the direction of writing becomes its name ("[U+202E]"), and a
// byte that is no UTF-8 becomes U+FFFD. Line feeds and tabs stay.

#include <string>
#include <string_view>

namespace coalescope::html {

// For the content of an element.
std::string escape_text(std::string_view text);

// The same, with options ("--rerun") in spans, since a browser would end lines after their hyphens, and with
// the places at which a long name may break: after "::", "_", "<" and their like.
std::string escape_words(std::string_view text);

// For the value of an attribute between double quotes.
std::string escape_attribute(std::string_view text);

// For JSON inside <script type="application/json">: in valid JSON '<', '>' and '&' occur only in strings,
// where \u003c means the same and can close no element.
std::string escape_json(std::string_view json);

// The text that a reader of the escaped forms sees.
std::string visible(std::string_view text);

}  // namespace coalescope::html
