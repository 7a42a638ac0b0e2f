# What reports look for can be listed and read, and a wrong word is answered.
"$COALESCOPE" rules >rules || fail "rules"
grep -q '^G01 *Uncoalesced loads' rules || fail "G01 is not listed: $(cat rules)"
"$COALESCOPE" explain g01 >page || fail "explain"
grep -q '^G01: ' page || fail "no heading: $(head -1 page)"
grep -q "$(printf '\033')" page && fail "escapes in a file"
refused 2 "did you mean 'G01'" explain G1
refused 2 'RULE is required' explain
command -v python3 >/dev/null || skip "no python3 here"
"$COALESCOPE" rules --json | python3 -c 'import json, sys; assert any(r["id"] == "G01" for r in json.load(sys.stdin))' ||
  fail "the list as data"
