# Modules of PyTorch name what they launch, and the program does what it did without their hooks.
has_module torch
same python3 "$here/programs/modules.py"
"$COALESCOPE" record -o modules.coal --modules -- python3 "$here/programs/modules.py" >modules.out || fail "status $?"
cmp alone.out modules.out || fail "the hooks changed the output: $(cat modules.out)"
python3 - <<'PYTHON' || fail "$(CAPTURE=modules.coal explain 2>&1)"
import collections, sqlite3
database = sqlite3.connect("modules.coal")
assert not list(database.execute("SELECT text FROM diagnostic WHERE origin IN ('stacks', 'modules')"))
sites = {row[0]: row[1:] for row in database.execute(
    "SELECT s.id, caller_id, file, symbol, k.name FROM call_site s JOIN frame_kind k ON k.id = s.kind")}


def modules(site):
    names = []
    while site is not None:
        caller, file, symbol, kind = sites[site]
        if kind == "torch_module":
            names.append(symbol)
            assert caller is not None and sites[caller][2].endswith("_call_impl"), (symbol, sites.get(caller))
        site = caller
    return names


launches, paths = collections.Counter(), set()
for site, count in database.execute("SELECT call_site_id, launches FROM launch_site"):
    names = modules(site)
    launches[names[0] if names else ""] += count
    paths.add(tuple(names))
# 40 steps: a matrix product each, and relu with an addition, and the sigmoid.
for name, least in (("Sequential.0.inner", 40), ("Sequential.0", 80), ("Sequential.1.block.inner", 40),
                    ("Sequential.1.block", 80), ("Sequential.1", 40), ("", 80)):
    assert launches[name] >= 0.8 * least, (name, launches)
for path in paths:
    for inner, outer in zip(path, path[1:]):
        assert inner.startswith(outer + "."), path
assert not any("_call_impl" in name for name in launches), launches
PYTHON
"$COALESCOPE" report modules.coal --by module >modules.txt || fail "status $?"
grep -q '^Sequential.1.block ' modules.txt || fail "$(cat modules.txt)"
grep -q '^(outside of modules) ' modules.txt || fail "$(cat modules.txt)"
