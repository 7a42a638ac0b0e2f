# The wheel in an environment of its own records PyTorch with the CUPTI of PyTorch's packages: nothing of a toolkit is named
# to it. $WHEEL, or the wheel beside the binary.
has_module torch
wheel=${WHEEL:-$(ls "$(dirname "$COALESCOPE")"/coalescope-*.whl 2>/dev/null | tail -n 1)}
[ -n "$wheel" ] || skip "no wheel beside '$COALESCOPE': scripts/package wheel FOLDER makes one, and WHEEL names it"
python3 -m venv --system-site-packages --without-pip venv 2>venv.err || skip "no venv here: $(tail -n 1 venv.err)"
pip=(venv/bin/python -m pip)
"${pip[@]}" --version >/dev/null 2>&1 || pip=(python3 -m pip --python venv/bin/python)
"${pip[@]}" --version >/dev/null 2>&1 || skip "no pip here"
"${pip[@]}" install -q --no-index --no-deps --ignore-installed "$wheel" >pip.out 2>&1 || fail "pip: $(tail -n 3 pip.out)"
[ -x venv/bin/coalescope ] || fail "no command in the environment: $(find venv -name 'coalescope*')"
alone() {
  env -u CUDA_HOME -u CUDA_PATH -u LD_LIBRARY_PATH -u COALESCOPE_CUPTI_PATH PATH="$PWD/venv/bin:/usr/bin:/bin" "$@"
}
# A Python that the system's path does not have is the one that has PyTorch.
python=$(command -v python3)
alone coalescope record --budget none -o same.coal -- "$python" "$here/programs/torch_ops.py" 20 >out 2>err ||
  fail "status $?: $(tail -n 5 err)"
used=$(sql 'SELECT cupti_path FROM process WHERE cupti_path IS NOT NULL LIMIT 1')
case $used in */site-packages/* | */dist-packages/*) ;; *) fail "CUPTI is '$used', of no Python package" ;; esac
is 1 "SELECT count(*) > 0 FROM reading"
is 1 "SELECT count(*) > 0 FROM instruction WHERE source_state <> (SELECT id FROM source_state WHERE name = 'unresolved')"
alone coalescope report --all --section findings same.coal >report || fail "no report"
grep -q 'G01' report || fail "the transposing copy is not found: $(head -n 30 report)"
alone coalescope doctor --json >doctor.json 2>doctor.err
grep -A1 '"check": "recorder"' doctor.json | grep -q '"state": "ok"' || fail "the installed recorder is not whole: $(cat doctor.json)"
echo "note: $used"
