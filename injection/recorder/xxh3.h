#pragma once
// xxHash's XXH3, compiled in: the library that comes into the target must not need one of the system's.

#ifndef NDEBUG
#define XXH_NO_INLINE_HINTS 1  // gcc refuses them under -Og
#endif
#define XXH_INLINE_ALL
#include <xxhash.h>
