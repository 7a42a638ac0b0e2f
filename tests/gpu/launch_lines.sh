# Each launch names its own line, whatever nvcc and the host's optimiser put around it.
for level in 0 3; do
  same "$PROGRAMS/launch_lines_o$level"
  says right
  "$COALESCOPE" report same.coal --json >lines.json || fail "status $?"
  python3 - "$here/programs/launch_lines.cu" <<'PYTHON' || fail "-O$level: $(explain 2>&1)"
import json, re, sys
wanted = {}
for number, line in enumerate(open(sys.argv[1]), 1):
    if marked := re.search(r"// launches (.*)", line):
        wanted[marked[1]] = f"launch_lines.cu:{number} "
named = {row["name"]: row["call_site"] or "nothing" for row in json.load(open("lines.json"))["kernels"]}
print(wanted, named)
assert wanted.keys() == named.keys()
assert all(site.split(" > ")[-1].startswith(wanted[kernel]) for kernel, site in named.items())
PYTHON
done
