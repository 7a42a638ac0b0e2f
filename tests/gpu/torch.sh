# PyTorch comes through unharmed; the transposing copy is the worst coalesced kernel, pageable copies are slow.
python3 -c 'import torch; assert torch.cuda.is_available()' 2>/dev/null || skip "no PyTorch with CUDA"
same python3 "$here/programs/torch_ops.py" 20
"$COALESCOPE" record -o torch.coal --budget none -- python3 "$here/programs/torch_ops.py" 20 >/dev/null || fail "status $?"
"$COALESCOPE" report torch.coal --json >report.json || fail "status $?"
python3 - <<'PYTHON' || fail "$("$COALESCOPE" report torch.coal)"
import json
report = json.load(open("report.json"))
findings = report["findings"]
first = next(f for f in findings if f["rule"] == "G01")
assert "copy" in first["subject"], findings
kernel = next(k for k in report["kernels"] if k["id"] == first["kernel_id"])
worst = max(k[a]["sectors_per_request"] or 0 for k in [kernel] for a in ("load", "store"))
assert worst > 8, kernel
assert any(f["rule"] == "T01" for f in findings), findings
PYTHON
