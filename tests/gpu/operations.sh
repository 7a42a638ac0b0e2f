# Element-wise operations of PyTorch in a row are one finding, at the author's line that calls most of them. The same as one
# function of the library is none.
has_module torch
activations() {
  "$COALESCOPE" record -o "$1.coal" --budget none -- python3 "$here/programs/torch_activations.py" "$1" >/dev/null || fail "status $?"
  "$COALESCOPE" report "$1.coal" --json >"$1.json" || fail "status $?"
}
activations written
activations library
python3 - "$here/programs/torch_activations.py" <<'PYTHON' || fail "$("$COALESCOPE" report written.coal --section findings)"
import json, sys

def fusable(name):
    return [f for f in json.load(open(name + ".json"))["findings"] if f["rule"] == "F01"]

line = next(n for n, text in enumerate(open(sys.argv[1]), 1) if "# eight operations" in text)
found = fusable("written")
assert len(found) == 1, found
assert found[0]["kernel_id"] is None and len(found[0]["kernel_ids"]) > 3, found
assert found[0]["call_file"].endswith("torch_activations.py") and found[0]["call_line"] == line, found
assert found[0]["lost_share"] > 0.3, found
assert not fusable("library"), fusable("library")
PYTHON
