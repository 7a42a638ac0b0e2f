# Host memory pinned in each round is found at its line, with the time of its calls; memory that is kept is not.
same "$PROGRAMS/pinned"
says right
"$COALESCOPE" report same.coal --all --json >pinned.json || fail "status $?"
python3 - "$here/programs/pinned.cu" <<'PYTHON' || fail "$(explain 2>&1)"
import json, re, sys
report, own_times = json.load(open("pinned.json")), json.load(open("pinned.ns"))
marks = {number: marked[1] for number, line in enumerate(open(sys.argv[1]), 1)
         if (marked := re.search(r"// pinned: (.*)", line))}
found = {marks.get(finding["call_line"]): {fact["key"]: fact["value"] for fact in finding["facts"]}
         for finding in report["findings"] if finding["rule"] == "T08"}
print(marks, found, own_times)
assert found.keys() == {"again", "registered"}
for mark, facts in found.items():
    assert facts["allocations"] == 40 and facts["again"] == 39 and facts["largest_bytes"] == 1 << 20
    # The first of the 40 is not pinned again, and the recorder's own work lies outside of the driver's call.
    assert 0.5 * own_times[mark] < facts["calls_ns"] < own_times[mark]
    assert 0 < facts["idle_ns"] <= facts["calls_ns"]
PYTHON
