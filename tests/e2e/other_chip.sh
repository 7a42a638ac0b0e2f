# A GPU that nobody measured: a price says what it rests on, and what has no figure has no price.
recorded=$(cd "$(dirname "${BASH_SOURCE[0]}")/../fixtures/recorded" && pwd)
command -v sqlite3 >/dev/null || skip "no sqlite3 here"
command -v python3 >/dev/null || skip "no python3 here"
cp "$recorded/showcase.coal" a100.coal && chmod u+w a100.coal
sqlite3 a100.coal "UPDATE device SET name = 'NVIDIA A100-SXM4-80GB', chip = 'GA100', compute_capability_major = 8,
  multiprocessors = 108, clock_khz = 1410000, memory_clock_khz = 1593000" || fail "the fixture could not be changed"
export XDG_DATA_HOME=$PWD  # no profile of this machine
"$COALESCOPE" report --json --all "$recorded/showcase.coal" >h100.json || fail "status $?"
"$COALESCOPE" report --json --all a100.coal >a100.json || fail "status $?"
python3 - <<'EOF' || fail "a price does not say what it rests on"
import json
def findings(path):
    return [(f["rule"], f.get("lost_ns"), f["basis"]) for f in json.load(open(path))["findings"]]
constants, peaks = "were measured on an H100 and not on GA100", "this GPU is not calibrated"
for rule, lost, basis in findings("h100.json"):
    assert constants not in basis and peaks not in basis, (rule, basis)
other = findings("a100.json")
assert sum(bool(lost) for _, lost, _ in other) >= 3, other
for rule, lost, basis in other:
    assert (constants in basis) == bool(lost), (rule, lost, basis)
assert any(peaks in basis for rule, _, basis in other if rule == "G01"), other
# A rate never comes from another product.
assert all(lost is None and "coalescope calibrate" in basis for rule, lost, basis in other if rule in ("T01", "T02")), other
assert any(rule == "T01" for rule, _, _ in other), other
ceilings = json.load(open("a100.json"))["devices"][0]["ceilings"]
assert [each["source"] for each in ceilings] == ["peak by the device's properties"], ceilings
EOF
