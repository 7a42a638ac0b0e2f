# Each format on stdout and into a file; parts of a report; what makes no sense is refused.
capture=$(cd "$(dirname "${BASH_SOURCE[0]}")/../fixtures/recorded" && pwd)/showcase.coal
command -v python3 >/dev/null || skip "no python3 here"
for format in --json --markdown --sarif '--csv kernels' '--csv lines' '--csv transfers' '--csv call-sites' '--folded gpu-time' '--folded lost-time' \
  '--by kernel' '--by call-site' ''; do
  rm -f written  # folded stacks have no mark by which they are known as a report
  "$COALESCOPE" report "$capture" $format >printed || fail "$format"
  [ -s printed ] || fail "$format printed nothing"
  "$COALESCOPE" report "$capture" $format -o written 2>err >out || fail "$format -o: $(cat err)"
  [ ! -s out ] || fail "$format -o also printed"
  cmp -s printed written || fail "$format: the file differs from stdout"
done
for format in --json --sarif; do
  "$COALESCOPE" report "$capture" $format | python3 -c 'import json, sys; json.load(sys.stdin)' || fail "$format is no JSON"
done
"$COALESCOPE" report "$capture" --csv kernels --limit 2 --sort launches >rows.csv || fail "a part"
python3 - <<'EOF' || fail "not two rows, most launches first"
import csv
rows = list(csv.DictReader(open("rows.csv", newline="")))
assert len(rows) == 2 and int(rows[0]["launches"]) >= int(rows[1]["launches"]), rows
EOF
"$COALESCOPE" report "$capture" --rule g01 --kernel . | grep -q 'Only a part is shown' || fail "a part is not said to be one"
"$COALESCOPE" report --rule G01,T01 "$capture" >/dev/null || fail "a list of rules before the capture"
"$COALESCOPE" report "$capture" | grep -q '1 finding that is small and 1 note are hidden; coalescope report FILE --all shows them' || fail "what stands aside is not counted"
"$COALESCOPE" report --all --json "$capture" >all.json || fail "--all"
"$COALESCOPE" report --json "$capture" >usual.json
python3 - <<'EOF' || fail "--all does not show what stands aside"
import json
every, usual = json.load(open("all.json")), json.load(open("usual.json"))
aside = [each for each in every["findings"] if each["aside"] == "note"]
assert len(aside) == usual["hidden"]["by_default"]["note"] == 1 and "hidden" not in every, aside
assert len(every["findings"]) == len(usual["findings"]) + 1
EOF
refused 2 'colours' report "$capture" --csv colours
refused 2 'colour' report "$capture" --sort colour
refused 2 'weight' report "$capture" --folded weight
refused 2 'excludes' report "$capture" --by kernel --json
refused 2 'excludes' report "$capture" --by kernel --folded gpu-time
"$COALESCOPE" report "$capture" --folded gpu-time | grep -qvE '^[^;]+(;[^;]+)+ [0-9]+$' && fail "a line is no stack with a weight"
"$COALESCOPE" report "$capture" --by call-site | grep -q 'no call sites' || fail "nobody says why there are none"
refused 2 'limit' report "$capture" --limit 0
refused 2 "there is no rule 'G99'" report "$capture" --rule G99
refused 2 'is not a regular expression' report "$capture" --kernel '('
refused 2 'excludes' report "$capture" --json --markdown
refused 2 "cannot write 'absent/x.sarif'" report "$capture" --sarif -o absent/x.sarif
cp "$capture" mine.coal
refused 2 'it is a capture' report "$capture" --json -o mine.coal
cmp -s "$capture" mine.coal || fail "a capture was replaced"
