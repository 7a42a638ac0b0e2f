# What `doctor` says of this machine is what the machine itself says, and what a recording then shows.
"$COALESCOPE" doctor --json >doctor.json 2>doctor.err
status=$?
# field STATE|TEXT CHECK: of the first check of that name.
field() {
  python3 - "$1" "$2" <<'PYTHON'
import json, sys
rows = [r for r in json.load(open("doctor.json"))["checks"] if r["check"] == sys.argv[2]]
print(rows[0][sys.argv[1]] if rows else "none")
PYTHON
}
[ "$(field state recorder)" = ok ] || fail "the recorder is not whole: $(cat doctor.json)"
[ "$(field state driver)" = ok ] || fail "the driver: $(field text driver)"
for word in $(nvidia-smi --query-gpu=driver_version --format=csv,noheader 2>/dev/null | head -n 1); do
  field text driver | grep -qF "$word" || fail "nvidia-smi says $word: $(field text driver)"
done
name=$(nvidia-smi --query-gpu=name --format=csv,noheader 2>/dev/null | head -n 1)
field text gpu | grep -qF "${name:-compute capability}" || fail "nvidia-smi says $name: $(field text gpu)"

# The CUPTI that it names is the one that a recording takes, and counters can be read if it says so.
"$COALESCOPE" record -o same.coal -- "$PROGRAMS/launches" dependent >record.out 2>record.err || fail "$(cat record.err)"
version=$(sql 'SELECT cupti_version FROM process LIMIT 1')
[ "$version" = NULL ] && recorded=missing || recorded=ok
[ "$(field state cupti)" = "$recorded" ] || fail "CUPTI $version was recorded with: $(field text cupti)"
if [ "$(field state counters)" = ok ]; then
  is 1 "SELECT count(*) > 0 FROM reading"
  field text counters | grep -qF "$(sql 'SELECT chip FROM device LIMIT 1')" || fail "another chip: $(field text counters)"
else
  is 0 "SELECT count(*) FROM reading r JOIN metric m ON m.id = r.metric_id WHERE m.key = 'l2_read_sectors'"
fi
[ "$status" -eq 0 ] || [ "$(grep -c '"state": "missing"' doctor.json)" -gt 0 ] || fail "status $status, and nothing is missing"

path=$(sql 'SELECT cupti_path FROM process LIMIT 1')
field text cupti | grep -qF "$(basename "$path")" || fail "$path was recorded with: $(field text cupti)"

# A GPU that is hidden is missing, and the reason is named.
CUDA_VISIBLE_DEVICES='' "$COALESCOPE" doctor --json >doctor.json 2>doctor.err && fail "a hidden GPU is no trouble"
field text driver | grep -qF CUDA_VISIBLE_DEVICES || fail "$(field text driver)"

# Another tool's place.
CUDA_INJECTION64_PATH=/no/such/tool.so "$COALESCOPE" doctor --json >doctor.json 2>doctor.err
[ "$(field state other-tool)" = missing ] || fail "$(field text other-tool)"
[ "$(field state counters)" != missing ] || fail "the other tool was asked in: $(field text counters)"

# The lines of kernels, where cuobjdump is.
if command -v cuobjdump >/dev/null; then
  "$COALESCOPE" doctor --json "$PROGRAMS/launches" >doctor.json 2>doctor.err
  cuobjdump -elf "$PROGRAMS/launches" 2>/dev/null | grep -q 'debug_line' && lines=ok || lines=degraded
  [ "$(field state kernels)" = "$lines" ] || fail "$(field text kernels)"
fi
