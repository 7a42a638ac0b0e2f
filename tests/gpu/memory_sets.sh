# Memory sets of other threads meet no switch of kernel records, where CUPTI crashes (docs/decisions/024): around
# launches that are measured, and where a long run is sampled.
same "$PROGRAMS/memory_sets"
says right
for options in '--budget none' '--only trace --trace 1000'; do
  # shellcheck disable=SC2086
  "$COALESCOPE" record --force $options -o sets.coal -- "$PROGRAMS/memory_sets" >out 2>err || fail "status $? with '$options': $(tail -n 3 err)"
  [ "$(cat out)" = right ] || fail "printed '$(cat out)' with '$options'"
done
