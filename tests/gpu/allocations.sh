# Pointers into the pool of PyTorch's caching allocator have the line that made the tensor, where that was asked for;
# without, the report says that they lie in the pool. The program does what it did.
has_module torch
python3 -c 'import torch.cuda._gpu_trace, torch; torch._C._activate_gpu_trace' 2>import.err || skip "this PyTorch does not tell of its allocations"
same python3 "$here/programs/allocations.py"
for setting in expandable_segments:False expandable_segments:True; do
  PYTORCH_CUDA_ALLOC_CONF=$setting "$COALESCOPE" record --force -o blocks.coal --allocations pytorch -- python3 "$here/programs/allocations.py" >blocks.out || fail "status $?"
  cmp alone.out blocks.out || fail "the hook changed the output: $(cat blocks.out)"
  python3 - "$here/programs/allocations.py" <<'PYTHON' || fail "$setting: $(CAPTURE=blocks.coal explain 2>&1)"
import collections, sqlite3, sys
database = sqlite3.connect("blocks.coal")
assert not list(database.execute("SELECT code FROM diagnostic WHERE origin = 'allocations'"))
sites = {row[0]: row[1:] for row in database.execute("SELECT id, caller_id, file, symbol FROM call_site")}


def own_function(site):
    """The innermost function of the program itself."""
    while site is not None:
        caller, file, symbol = sites[site]
        if file == sys.argv[1]:
            return symbol
        site = caller
    return None


pools = database.execute("SELECT count(*), sum(bytes) FROM allocation WHERE pytorch_pool = 1").fetchone()
assert pools[0] >= 1 and pools[1] >= 16 << 20, pools
found, inside = collections.Counter(), collections.Counter()
for name, site, pooled in database.execute(
        "SELECT k.name, p.call_site_id, a.pytorch_pool FROM group_pointer p JOIN kernel_group g ON g.id = p.group_id"
        " JOIN kernel k ON k.id = g.kernel_id LEFT JOIN allocation a ON a.id = p.allocation_id"):
    if "layer_norm" in name:
        found[own_function(site)] += 1
    if pooled == 1:
        inside[site is not None] += 1
        assert site is None or not sites[site][2].endswith("fire_callbacks"), sites[site]
# The input, the weights and the output of the forward pass; its backward pass has the call of backward().
assert {"make_input", "make_weight", "make_bias", "normed"} <= set(found), found
assert inside[True] >= 0.9 * sum(inside.values()), inside
print(found, inside)
PYTHON
done
"$COALESCOPE" report same.coal --section program >pool.txt || fail "status $?"
grep -q "inside PyTorch's pool" pool.txt || fail "$(cat pool.txt)"
is 0 "SELECT count(*) FROM group_pointer WHERE call_site_id IS NOT NULL"
