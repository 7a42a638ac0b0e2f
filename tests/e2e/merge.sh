# Captures of several processes become one, in which nothing is lost and nothing counts twice.
recorded=$(cd "$(dirname "${BASH_SOURCE[0]}")/../fixtures/recorded" && pwd)
"$COALESCOPE" merge -o all.coal "$recorded/showcase.coal" "$recorded/torch.coal" 2>err || fail "status $?: $(cat err)"
grep -qF 'note: wrote all.coal (2 captures)' err || fail "$(cat err)"
"$COALESCOPE" report all.coal --json >all.json || fail "no report"
"$COALESCOPE" report "$recorded/showcase.coal" --json >showcase.json
"$COALESCOPE" report "$recorded/torch.coal" --json >torch.json
command -v python3 >/dev/null || skip "no python3 here"
python3 - <<'PYTHON' || fail "the whole is not the sum of its parts"
import json
whole, *parts = [json.load(open(name + ".json")) for name in ("all", "showcase", "torch")]
for total in ("launches", "kernel_groups", "kernel_ns", "transfers", "transfer_ns"):
    assert whole["totals"][total] == sum(part["totals"][total] for part in parts), total
assert len(whole["processes"]) == sum(len(part["processes"]) for part in parts)
started = [part["capture"]["started_unix_ns"] for part in parts]
assert whole["capture"]["started_unix_ns"] == min(started)
degrees = lambda report: sorted((k["mangled_name"], k["grid"], k["load"]["degree"] or -1) for k in report["kernels"])
assert degrees(whole) == sorted(degrees(parts[0]) + degrees(parts[1]))
assert any(d["code"] == "merged" and "commands differ" in d["text"] for d in whole["diagnostics"])
PYTHON
before=$(cksum <all.coal)
refused 2 'both hold process' merge -o all.coal all.coal "$recorded/torch.coal"
refused 2 'both hold process' merge -o twice.coal "$recorded/torch.coal" "$recorded/torch.coal"
refused 3 'there is no such file' merge -o other.coal all.coal absent.coal
refused 2 'cannot write into the folder' merge -o absent/x.coal "$recorded/torch.coal"
refused 2 'is required' merge "$recorded/torch.coal"
refused 2 'is required' merge -o other.coal
echo 'my thesis' >thesis.txt
refused 2 'is not a capture' merge -o thesis.txt "$recorded/torch.coal"
[ "$(cat thesis.txt)" = 'my thesis' ] && [ "$(cksum <all.coal)" = "$before" ] || fail "a refused merge wrote"
[ ! -e other.coal ] && [ ! -e twice.coal ] || fail "a refused merge left a capture"
