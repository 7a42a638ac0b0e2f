# A program that launches each kernel once: with replay the one launch gives its degree, its traffic and its hits, and the
# program does not see that its kernels ran several times.
"$PROGRAMS/few_launches" >alone.out 2>alone.err || fail "the program itself does not work: $(cat alone.err)"
"$COALESCOPE" record --replay kernel --budget none -o replay.coal -- "$PROGRAMS/few_launches" >under.out 2>under.err
status=$?
[ $status -eq 0 ] || fail "status $status: $(cat under.err)"
cmp alone.out under.out >&2 || fail "another output: $(cat under.out)"
"$COALESCOPE" report replay.coal --json >report.json || fail "no report"
python3 - <<'PYTHON' || fail "$("$COALESCOPE" report replay.coal --verbose)"
import json
report = json.load(open("report.json"))
kernels = {k["name"].split("(")[0]: k for k in report["kernels"]}
assert sorted(kernels) == ["contiguous", "strided"], sorted(kernels)
for name, kernel in kernels.items():
    assert kernel["launches"] == 1, (name, kernel["launches"])
    for phase in ("bytes", "traffic", "hits"):
        assert kernel[phase] == {"measured": 1, "seen": 1}, (name, phase, kernel[phase], kernel["unmeasured"])
    assert kernel["dram_read_bytes"] is not None and kernel["l2_sectors"] is not None, kernel
    # Only replay counts these; the kernels' parameters are read at one address of a warp.
    assert kernel["constant_divergent_loads"] == 0, (name, kernel["constant_divergent_loads"])
load = kernels["strided"]["load"]
assert (load["data_bytes"], load["sectors"], load["requests"]) == (12800, 3200, 100), load
assert kernels["contiguous"]["load"]["degree"] == 1, kernels["contiguous"]["load"]
PYTHON
