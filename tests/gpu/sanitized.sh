# A program with AddressSanitizer runs as it does alone, and nothing is measured in it, because it would not survive that.
# The gap in its shadow memory is where the driver puts its own.
export ASAN_OPTIONS=protect_shadow_gap=0
same "$PROGRAMS/sanitized_streams"
is 1 "SELECT count(*) > 0 FROM launch WHERE gpu_ns > 0"
is 0 "SELECT count(*) FROM reading"
is 1 "SELECT count(*) > 0 FROM diagnostic WHERE text LIKE '%built with a sanitizer%'"
