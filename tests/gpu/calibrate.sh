# Every count of every reference kernel equals its closed form on this GPU.
"$COALESCOPE" calibrate -o calibration.coal >calibrate.out || fail "status $?: $(grep -v pass calibrate.out | head -n 40)"
CAPTURE=calibration.coal is 0 "SELECT count(*) FROM calibration JOIN verdict v ON v.id = verdict WHERE v.name = 'fail'"
