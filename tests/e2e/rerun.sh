# --rerun runs the program once for each thing to measure: its output comes once, its end is that of the first run that
# did not end well, and each run gets the input from its beginning.
cat >program <<'PROGRAM'
#!/bin/sh
run=$(($(cat runs) + 1))
echo "$run" >runs
echo "output of run $run: $(cat)"
echo "errors of run $run" >&2
echo "$COALESCOPE_PHASES ${COALESCOPE_BUDGET:-unset} $LD_PRELOAD" >>settings
[ "$run" != "${FAIL_IN:-none}" ] || exit 5
[ "$run" != "${KILLED_IN:-none}" ] || kill -KILL $$
PROGRAM
chmod +x program

# again OPTIONS: one recording with --rerun.
again() {
  echo 0 >runs
  rm -f settings
  "$COALESCOPE" record --rerun -o x.coal "$@" -- ./program <input >out 2>err
}

echo words >input
again
[ $? -eq 0 ] && [ "$(cat runs)" = 5 ] || fail "not five runs: $(cat runs err)"
[ "$(cat out)" = 'output of run 1: words' ] || fail "another output: $(cat out)"
[ "$(grep -c 'errors of run' err)" -eq 5 ] || fail "errors are hidden: $(cat err)"
[ "$(cut -d ' ' -f 1 settings | tr '\n' ' ')" = 'trace bytes lines traffic hits ' ] || fail "$(cat settings)"
[ "$(cut -d ' ' -f 2 settings | tr '\n' ' ')" = 'unset none none none none ' ] || fail "$(cat settings)"
"$COALESCOPE" report x.coal --json >report.json || fail "no report"
grep -q 'was run 5 times (measured: trace, bytes, lines, traffic, hits)' report.json || fail "$(cat report.json)"
[ "$(ls -A)" = "$(printf 'err\ninput\nout\nprogram\nreport.json\nruns\nsettings\nx.coal')" ] || fail "left: $(ls -A)"

again --phases bytes,lines --budget 5%
[ "$(cut -d ' ' -f 1,2 settings | tr '\n' ' ')" = 'trace 5% bytes 5% lines 5% ' ] || fail "$(cat settings)"

FAIL_IN=3 again
[ $? -eq 5 ] && [ "$(cat runs)" = 5 ] || fail "a failing run ends the others, or is hidden: $(cat runs err)"
"$COALESCOPE" report x.coal --json | grep -q 'Run 3 of 5 (lines) ended with exit status 5' || fail "it is not said"

KILLED_IN=2 "$PROGRAMS/ending" end sh -c 'echo 0 >runs; exec "$0" record --rerun -o x.coal -- ./program <input' \
  "$COALESCOPE" >out 2>err
[ "$(cat end)" = 'signal 9' ] && [ "$(cat runs)" = 2 ] || fail "$(cat end runs err)"
"$COALESCOPE" report x.coal --json | grep -q '3 of 5 runs were not made' || fail "it is not said"

echo 0 >runs
echo words | "$COALESCOPE" record --rerun -o x.coal -- ./program >out 2>err
[ $? -eq 2 ] && [ "$(cat runs)" = 0 ] || fail "input from a pipe is not refused"
grep -q 'its input can be read only once' err || fail "$(cat err)"
