# Programs with AddressSanitizer run as they do alone, whether its runtime comes with the program or is preloaded.
[ -x "$PROGRAMS/sanitized" ] || skip "this compiler links the sanitizer's runtime into the program"
same "$PROGRAMS/sanitized"
ASAN_OPTIONS=halt_on_error=1 same "$PROGRAMS/sanitized"

# What it says of an error holds the number of the process.
"$PROGRAMS/sanitized" wrong >alone.out 2>alone.err
alone=$?
"$COALESCOPE" record -o wrong.coal -- "$PROGRAMS/sanitized" wrong >under.out 2>under.err
[ $? -eq $alone ] || fail "another status than $alone: $(cat under.err)"
grep -q heap-buffer-overflow under.err || fail "the sanitizer did not find the error: $(cat under.err)"

runtime=$(ldd "$PROGRAMS/sanitized" | sed -n 's/.*=> \(.*libasan[^ ]*\) .*/\1/p')
LD_PRELOAD=$runtime ASAN_OPTIONS=detect_leaks=0 "$COALESCOPE" record -o x.coal -- ls / >under.out 2>under.err \
  || fail "a program with a preloaded runtime does not run: $(cat under.err)"

# Nothing is measured in such a program, because it would not survive it, and the capture says so.
[ -x "$STANDIN/player" ] || skip "no stand-in to record without a GPU; the rest passed"
export STANDIN_SCRIPT=$PWD/script COALESCOPE_CUPTI_PATH=$STANDIN
printf 'kernel a\nlaunch a times=40\nsync\n' >script
is_traced() {
  "$COALESCOPE" record -o traced.coal -- "$@" >under.out 2>under.err || fail "status $?: $(cat under.err)"
  "$COALESCOPE" report traced.coal --json >json || fail "no report"
  grep -q '"launches": 40' json || fail "the launches are not recorded"
  grep -q 'built with a sanitizer' json || fail "nothing says why no launch is measured"
}
export ASAN_OPTIONS=detect_leaks=0
LD_PRELOAD=$runtime is_traced "$STANDIN/player"
is_traced "$STANDIN/sanitized_player"
