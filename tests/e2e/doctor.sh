# `coalescope doctor` over the stand-ins for CUDA: each state that a driver and CUPTI can be in. What files say is tested
# in tool/doctor_test.cpp.
export LD_LIBRARY_PATH=$STANDIN COALESCOPE_CUPTI_PATH=$STANDIN STANDIN_SCRIPT=$PWD/script
# Each run starts the Python of PATH. That of a version manager is a script, which takes seconds on a busy machine.
export PATH=/usr/bin:/bin

# told STATE CHECK WORDS: the last run has such a check, and its text, or what mends it, these words.
told() {
  python3 - "$@" <<'PYTHON' || fail "$(cat out.json err)"
import json, sys
state, name, words = sys.argv[1:4]
rows = json.load(open("out.json"))["checks"]
sys.exit(0 if any(r["check"] == name and r["state"] == state and words in f"{r['text']} {r['mend']}" for r in rows) else 1)
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

# What forbids to measure on this GPU, and how the recorder then fares.
for forbidden in 'vgpu virtual-gpu 40' 'confidential confidential-computing 41' 'sli sli 44' 'cmp mining-gpu 42'; do
  read -r part check code <<<"$forbidden"
  doctor 1 "$(printf 'missing %s\nfail cuptiRangeProfilerSetConfig with=%s' "$part" "$code")"
  told missing "$check" disabled
  told missing counters ''
done
doctor 1 'fail cuptiRangeProfilerSetConfig with=43'
told missing counters 'nvidia-smi -mig 0'
doctor 1 'fail cuptiRangeProfilerSetConfig with=45'
told missing counters 'WSL cannot be profiled here'
mkdir mps && : >mps/control
CUDA_MPS_PIPE_DIRECTORY=$PWD/mps doctor 0 ''
told degraded mps "an MPS daemon serves '$PWD/mps'"

# The closing line of a recording names the one thing that stood in its way.
if [ -x "$STANDIN/player" ]; then
  printf 'kernel k\nlaunch k times=20\nfail cuptiRangeProfilerSetConfig with=35\n' >script
  "$COALESCOPE" record -o refused.coal -- "$STANDIN/player" >out 2>err || fail "status $?: $(cat err)"
  grep -q 'may not read' err && grep -q 'coalescope doctor' err || fail "the closing line does not say it: $(cat err)"
  [ "$(grep -c '^coalescope: ' err)" -eq 1 ] || fail "not one line: $(cat err)"
fi

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
