# Copies that move the same bytes again, and copies to memory that a kernel overwrites, are told from others, and
# each is found at its line.
same "$PROGRAMS/uploads"
says right
"$COALESCOPE" report same.coal --all --json >uploads.json || fail "status $?"
python3 - "$here/programs/uploads.cu" <<'PYTHON' || fail "$(explain 2>&1)"
import json, re, sys
report = json.load(open("uploads.json"))
lines = {number: marked[1] for number, line in enumerate(open(sys.argv[1]), 1)
         if (marked := re.search(r"HostToDevice\); +// (.*)", line))}
sites = {site["id"]: site for site in report["call_sites"]}
def line_of(site):
    while not (sites[site]["file"] or "").endswith("uploads.cu"):
        site = sites[site]["caller_id"]
    return sites[site]["line"]
uses = {line_of(use["call_site_id"]): (use["compared"], use["repeated"]) for row in report["transfers"]
        if row["direction"] == "host_to_device" for use in row["call_sites"]}
print(lines, uses)
# Eleven of the eighty are looked at, unless that would take more than 1 % of the time.
def is_right(says, compared, repeated):
    if says == "from the device":
        return compared is None
    return 4 <= compared <= 10 and repeated == (compared if says == "the same" else 0)
assert uses.keys() == lines.keys()
assert all(is_right(lines[line], *counts) for line, counts in uses.items())
found = {finding["call_line"]: finding["advice_id"] for finding in report["findings"] if finding["rule"] == "T07"}
print(found)
advice = {"the same": "T07.keep", "overwritten": "T07.overwritten"}
assert found == {number: advice[says] for number, says in lines.items() if says in advice}
PYTHON
