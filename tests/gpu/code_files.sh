# Each kernel names the file that holds its code: the program's own, a library's, a code file; PTX that the program
# hands over from memory has who loaded it.
same "$PROGRAMS/launches" dependent
is 0 "SELECT count(*) FROM kernel WHERE code_file IS NULL OR code_file NOT LIKE '%/launches'"
"$COALESCOPE" report same.coal --json >own.json || fail "status $?"
python3 - <<'PYTHON' || fail "$(explain 2>&1)"
import json
kernels = json.load(open("own.json"))["kernels"]
assert kernels and all(row["origin"] == "user" and row["code_file"].endswith("/launches") for row in kernels), kernels
PYTHON
has_module torch
"$COALESCOPE" record -o torch.coal -- python3 "$here/programs/allocations.py" >torch.out || fail "status $?"
"$COALESCOPE" report torch.coal --json >torch.json || fail "status $?"
python3 - <<'PYTHON' || fail "$(CAPTURE=torch.coal explain 2>&1)"
import json, os
kernels = json.load(open("torch.json"))["kernels"]
files = {(row["owner"], os.path.basename(row["code_file"] or "")) for row in kernels}
named = sum(row["code_file"] is not None for row in kernels)
print(sorted(files))
assert named >= 0.9 * len(kernels), (named, len(kernels), files)
assert any(owner == "PyTorch ATen" and file.startswith("libtorch_cuda") for owner, file in files), files
assert any(owner == "cuBLAS" and file.startswith("libcublas") for owner, file in files), files
PYTHON
