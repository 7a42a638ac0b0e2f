# The bundled programs: the faulty ones are found, the clean one is not.
same "$(dirname "$COALESCOPE")/coalescope_kernels" --showcase --quiet
"$COALESCOPE" record -o showcase.coal --budget none -- \
  "$(dirname "$COALESCOPE")/coalescope_kernels" --showcase --quiet --launches 48 || fail "status $?"
"$COALESCOPE" report showcase.coal --json >report.json || fail "status $?"
python3 - <<'PYTHON' || fail "$("$COALESCOPE" report showcase.coal)"
import json
report = json.load(open("report.json"))
rules = {(f["rule"], f["subject"]) for f in report["findings"]}
text = str(rules)
assert any(rule == "G01" and "strided_copy<32>" in subject for rule, subject in rules), text
assert any(rule == "G01" and "grid_strided" in subject for rule, subject in rules), text
assert any(rule == "T01" for rule, _ in rules), text
assert not any("sequential_copy" in subject for _, subject in rules), text
PYTHON
