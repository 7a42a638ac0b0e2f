# `coalescope doctor` over the stand-ins for CUDA: each state that a driver and CUPTI can be in. What files say is tested
# in tool/doctor_test.cpp.
export LD_LIBRARY_PATH=$STANDIN COALESCOPE_CUPTI_PATH=$STANDIN STANDIN_SCRIPT=$PWD/script

# told STATE CHECK WORDS: the last run has such a check, and its text these words.
told() {
  python3 - "$@" <<'PYTHON' || fail "$(cat out.json err)"
import json, sys
state, name, words = sys.argv[1:4]
rows = json.load(open("out.json"))["checks"]
sys.exit(0 if any(r["check"] == name and r["state"] == state and words in r["text"] for r in rows) else 1)
PYTHON
}

# doctor STATUS ORDER: with this order in the stand-ins' script.
doctor() {
  printf 'kernel k\n%s\n' "$2" >script
  "$COALESCOPE" doctor --json >out.json 2>err
  local got=$?
  [ "$got" -eq "$1" ] || fail "status $got, not $1, with '$2': $(cat out.json err)"
}

doctor 0 ''
told ok recorder whole
told ok driver 'for CUDA 13.0'
told ok gpu 'Stand-in GPU, compute capability 9.0'
told ok cupti "$STANDIN/libcupti.so.13 (of COALESCOPE_CUPTI_PATH)"
told ok counters GH100
told ok other-tool 'no other tool'

doctor 1 'fail cuInit times=9 with=100'
told missing driver 'no running NVIDIA driver'
told ok cupti libcupti
doctor 1 'fail cuptiRangeProfilerSetConfig with=35'
told missing counters 'this user may not read its counters'
doctor 0 'fail cuptiRangeProfilerStart with=26'
told degraded counters 'another program holds the counters'
doctor 1 'fail cuptiProfilerInitialize with=999'
told missing counters cuptiProfilerInitialize
doctor 1 'fail cuDevicePrimaryCtxRetain with=2'
told missing counters 'no context could be made'

# What the driver's own process does not survive.
cp "$STANDIN"/*.so* . && : >libcuda.so.1
LD_LIBRARY_PATH=$PWD doctor 1 ''
told missing driver 'no running NVIDIA driver'
LD_LIBRARY_PATH=$STANDIN CUDA_INJECTION64_PATH=/opt/tool.so doctor 1 ''
told missing other-tool /opt/tool.so
told ok counters GH100

# No CUPTI anywhere.
LD_PRELOAD=$HIDE_CUPTI doctor 1 ''
told missing cupti 'neither libcupti.so.13 nor libcupti.so.12 was found'

# A program is looked into, and one that is not there is refused.
printf 'kernel k\n' >script
"$COALESCOPE" doctor "$PROGRAMS/threads" >text 2>err
grep -q '^[a-z]* *program ' text || fail "no line about the program: $(cat text)"
grep -q 'Programs can be recorded here' text || fail "no verdict: $(cat text)"
refused 2 'cannot find the program' doctor /no/such/program

# It leaves nothing behind.
for process in /proc/[0-9]*; do
  [ "$(readlink "$process/cwd")" != "$PWD" ] || [ "$(cat "$process/comm")" != coalescope_prob ] || fail "a probe is left"
done
