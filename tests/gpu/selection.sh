# Which launches are measured is the user's choice: by name, number, time, NVTX range, and from within the program. What is
# left out is traced all the same, and says that it was not selected.
program=$PROGRAMS/selection
"$program" >alone.out 2>alone.err || fail "the program itself does not work: $(cat alone.err)"

# chosen OPTIONS...: records the program so, with all that budget allows.
chosen() {
  "$COALESCOPE" record --budget none --samples 8 "$@" -o same.coal -- "$program" >under.out 2>under.err ||
    fail "status $? with $*: $(cat under.err)"
  cmp alone.out under.out >&2 || fail "another output with $*: $(cat under.out)"
  is 25 "SELECT count(*) FROM launch"
}
measured="SELECT count(*) FROM launch WHERE window_id IS NOT NULL"
strided="SELECT count(*) FROM launch l JOIN kernel_group g ON g.id = group_id JOIN kernel k ON k.id = kernel_id
  WHERE k.name LIKE '%strided%' AND window_id IS NOT NULL"

chosen
is 1 "SELECT ($measured) >= 18"
strided_is_exact

chosen --kernel contiguous
is 0 "$strided"
is 1 "SELECT ($measured) > 0"
is not_selected "SELECT DISTINCT r.name FROM coverage JOIN coverage_reason r ON r.id = reason
  JOIN kernel_group g ON g.id = group_id JOIN kernel k ON k.id = kernel_id WHERE k.name LIKE '%strided%'"

chosen --exclude 'stri.ed'
is 0 "$strided"
is 1 "SELECT ($measured) > 0"

chosen --skip 24
is 1 "$measured"
chosen --launches 3
is 1 "SELECT ($measured) BETWEEN 1 AND 3"
strided_is_exact

chosen --range chosen
is 1 "SELECT ($strided) BETWEEN 1 AND 5"
is 0 "SELECT count(*) FROM launch l JOIN phase_window w ON w.id = l.window_id, nvtx_range r JOIN nvtx_name n
  ON n.id = r.name_id WHERE n.name = 'chosen' AND (w.began_ns < r.start_ns OR w.began_ns > r.end_ns)"
chosen --range nobody
is 0 "$measured"

chosen --profile-from-start off
is 1 "SELECT ($measured) BETWEEN 1 AND 5"
strided_is_exact

# CUDA itself takes longer to begin than a millisecond. The sleep lasts three seconds, because one run may begin a second
# earlier than the next one: all but five launches come before it.
chosen --for 1ms
is 0 "$measured"
chosen --after 600s
is 0 "$measured"
# Of a run in which nothing is measured, as in the next one up to that moment.
last=$(sql "SELECT max(start_ns) / 1000000 - 1500 FROM launch")
chosen --after "${last}ms"
is 1 "SELECT ($measured) BETWEEN 1 AND 5"
is 0 "SELECT count(*) FROM phase_window WHERE began_ns < ${last} * 1000000"
