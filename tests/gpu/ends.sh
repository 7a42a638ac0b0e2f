# However a program ends, its status, output and signal are its own, and what was committed is in the capture.
for how in return exit reset fork_after fork_before; do
  same "$PROGRAMS/ends" $how
  strided_is_exact
  is 1 "SELECT clean FROM capture"
  is 1 "SELECT count(*) FROM process"
done
for how in _exit abort exception cuda_error sleep_then_kill; do
  "$PROGRAMS/ending" alone.end "$PROGRAMS/ends" $how >alone.out 2>alone.err
  "$PROGRAMS/ending" under.end "$COALESCOPE" record -o same.coal -- "$PROGRAMS/ends" $how >under.out 2>under.err
  cmp alone.end under.end || fail "$how: $(cat under.end)"
  cmp alone.out under.out || fail "$how: another output"
  is 1 "SELECT count(*) FROM process"
done
strided_is_exact  # of the one that was killed two seconds after its last launch
is 0 "SELECT clean FROM capture"
is 1 "SELECT count(*) FROM diagnostic WHERE code = 'no_orderly_end'"
