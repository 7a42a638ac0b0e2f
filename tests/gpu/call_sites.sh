# Kernels, copies and graphs of PyTorch name the lines of the program that asked for them.
has_module torch
same python3 "$here/programs/call_sites.py" expected.json
"$COALESCOPE" record -o sites.coal -- python3 "$here/programs/call_sites.py" expected.json >/dev/null || fail "status $?"
python3 - "$here/programs/call_sites.py" <<'PYTHON' || fail "$(CAPTURE=sites.coal explain 2>&1)"
import collections, json, sqlite3, sys
program, expected = sys.argv[1], json.load(open("expected.json"))
database = sqlite3.connect("sites.coal")
assert not list(database.execute("SELECT text FROM diagnostic WHERE origin = 'stacks'"))
sites = {row[0]: row[1:] for row in database.execute("SELECT id, caller_id, file, line, symbol FROM call_site")}
known = {line for found in expected.values() for line in found}


def own_line(site):
    while site is not None:
        caller, file, line, _ = sites[site]
        if file is not None and file.endswith("call_sites.py"):
            return line
        site = caller
    return None


# Nearly all of the GPU time of launches and copies has a line, and it is one of those that launch something.
seen, with_line, time, foreign = collections.Counter(), 0, 0, collections.Counter()
for site, role, launches, gpu_ns in database.execute("SELECT call_site_id, r.name, launches, gpu_ns FROM launch_site JOIN site_role r ON r.id = role"):
    line = own_line(site)
    seen[role, line] += launches
    if role == "graph_node":
        continue
    time += gpu_ns
    with_line += gpu_ns if line in known else 0
    if line not in known:
        foreign[line, sites[site][1:]] += gpu_ns
all_ns = database.execute("SELECT coalesce(sum(gpu_ns), 0) FROM launch").fetchone()[0]
assert time >= 0.95 * all_ns, (time, all_ns)
assert with_line >= 0.95 * time, (with_line, time, foreign.most_common(5))
for what, role in (("forward", "launch"), ("backward", "launch"), ("optimiser", "launch"), ("replay", "graph_launch"),
                   ("captured", "graph_node")):
    assert any(seen[role, line] for line in expected[what]), (what, role, expected[what], seen)
copies = collections.Counter()
for site, direction, transfers in database.execute(
        "SELECT call_site_id, d.name, transfers FROM transfer_site JOIN direction d ON d.id = direction"):
    copies[direction, own_line(site)] += transfers
assert any(copies["host_to_device", line] == 40 for line in expected["upload"]), copies
assert any(copies["device_to_host", line] == 40 for line in expected["download"]), copies
# Each of 200 lines launched once.
each = collections.Counter()
for site, launches in database.execute("SELECT call_site_id, launches FROM launch_site"):
    file, line = sites[site][1:3]
    while file is not None and not file.endswith("one_each.py") and sites[site][0] is not None:
        site = sites[site][0]
        file, line = sites[site][1:3]
    if file is not None and file.endswith("one_each.py"):
        each[line] += launches
assert each == {line: 1 for line in range(2, 202)}, each
waits = {own_line(site) for (site,) in database.execute("SELECT call_site_id FROM synchronization_site")}
assert waits & set(expected["download"]), waits
PYTHON
