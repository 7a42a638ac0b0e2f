# A program that launches each kernel once: one run cannot measure everything, --rerun does.
"$PROGRAMS/few_launches" >alone.out 2>alone.err || fail "the program itself does not work: $(cat alone.err)"
"$COALESCOPE" record --rerun -o rerun.coal -- "$PROGRAMS/few_launches" >under.out 2>under.err
status=$?
[ $status -eq 0 ] || fail "status $status: $(cat under.err)"
cmp alone.out under.out >&2 || fail "another output: $(cat under.out)"
"$COALESCOPE" report rerun.coal --json >report.json || fail "no report"
python3 - <<'PYTHON' || fail "$("$COALESCOPE" report rerun.coal --verbose)"
import json
report = json.load(open("report.json"))
assert report["runs"] == 5, report["runs"]
assert len(report["processes"]) == 1, report["processes"]
kernels = {k["name"].split("(")[0]: k for k in report["kernels"]}
assert sorted(kernels) == ["contiguous", "strided"], sorted(kernels)
for name, kernel in kernels.items():
    assert kernel["launches"] == 1 and kernel["timed_launches"] == 1, (name, kernel["launches"])
    for phase in ("bytes", "lines", "traffic", "hits"):
        assert kernel[phase] == {"measured": 1, "seen": 1}, (name, phase, kernel[phase], kernel["unmeasured"])
    assert kernel["dram_read_bytes"] is not None and kernel["sector_efficiency"] is not None, kernel
load = kernels["strided"]["load"]
assert (load["data_bytes"], load["sectors"], load["requests"]) == (12800, 3200, 100), load
assert kernels["contiguous"]["load"]["degree"] == 1, kernels["contiguous"]["load"]
assert sum(t["transfers"] for t in report["transfers"]) == report["totals"]["transfers"] == 2, report["transfers"]
PYTHON
# The file holds all five runs, each with its own process.
CAPTURE=rerun.coal is '0|1|2|3|4' "SELECT group_concat(run, '|') FROM (SELECT run FROM process ORDER BY run)"
