# Two devices of one process.
"$PROGRAMS/devices" >devices.out 2>&1
[ $? -ne 77 ] || skip "$(cat devices.out)"
same "$PROGRAMS/devices"
says 'device 0: right' 'device 1: right' 'after the copy: right'
strided_is_exact
is 2 "SELECT count(*) FROM device"
is '40|40' "SELECT min(n), max(n) FROM (SELECT count(*) AS n FROM launch l JOIN kernel_group g ON g.id = l.group_id
            GROUP BY device_id)"
is 2 "SELECT count(DISTINCT g.device_id) FROM $(readings_of strided)"
