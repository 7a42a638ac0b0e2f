# Without a GPU nothing is recorded, and an earlier calibration stays as it is.
export CUDA_VISIBLE_DEVICES=
echo earlier >calibration.coal
refused 4 'no usable GPU' calibrate
refused 4 'no usable GPU' calibrate --family A3,D -o other.coal
refused 2 'no case is selected' calibrate --family Z
"$COALESCOPE" calibrate --list --family E2 | grep -q "what a launch costs" || fail "--list does not name an experiment"
[ "$(cat calibration.coal)" = earlier ] || fail "the earlier calibration was touched"
[ ! -e other.coal ] || fail "a capture of nothing"
