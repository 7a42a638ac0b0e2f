# Two devices of one process.
"$PROGRAMS/devices" >devices.out 2>&1
[ $? -ne 77 ] || skip "$(cat devices.out)"
same "$PROGRAMS/devices"
says 'device 0: right' 'device 1: right' 'after the copy: right'
# On a machine that has just started, the first configuration of the counters takes longer than the budget.
"$COALESCOPE" record --budget none -o same.coal -- "$PROGRAMS/devices" >under.out 2>under.err || fail "status $?: $(tail -n 5 under.err)"
strided_is_exact
is 2 "SELECT count(*) FROM device"
is '40|40' "SELECT min(n), max(n) FROM (SELECT count(*) AS n FROM launch l JOIN kernel_group g ON g.id = l.group_id
            GROUP BY device_id)"
is 2 "SELECT count(DISTINCT g.device_id) FROM $(readings_of strided)"
