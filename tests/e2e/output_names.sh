# Each rank of a job wraps itself, and names its capture by what tells it from the others.
for rank in 0 1; do
  MY_RANK=$rank "$COALESCOPE" record -o 'out-%q{MY_RANK}.coal' -- sh -c "exit $rank" 2>/dev/null
  [ $? -eq "$rank" ] || fail "rank $rank: another status"
done
[ -s out-0.coal ] && [ -s out-1.coal ] || fail "not one capture a rank: $(ls)"
"$COALESCOPE" merge -o job.coal out-*.coal 2>err || fail "$(cat err)"
"$COALESCOPE" report job.coal --json | grep -q '"exit_status": 1' || fail "a rank's failure is not the job's"
"$COALESCOPE" record -o '%h-%p-100%.coal' -- true 2>/dev/null
ls "$(hostname)"-*-100%.coal >/dev/null || fail "no host and process: $(ls)"
refused 2 "'NOT_SET_HERE', which is not set" record -o 'out-%q{NOT_SET_HERE}.coal' -- touch started
refused 2 'does not close it' record -o 'out-%q{MY_RANK.coal' -- touch started
[ ! -e started ] || fail "the program was started"
