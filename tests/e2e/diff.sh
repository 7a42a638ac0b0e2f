# What changed from one capture to the next: in each format, with a status that scripts can ask for.
recorded=$(cd "$(dirname "${BASH_SOURCE[0]}")/../fixtures/recorded" && pwd)
command -v sqlite3 >/dev/null || skip "no sqlite3 here"
before=$recorded/showcase.coal
# 5 % more bytes and sectors of loads in the kernel that reads most.
cp "$before" worse.coal && chmod u+w worse.coal
sqlite3 worse.coal "
  CREATE TEMP TABLE most AS SELECT launch.group_id AS id FROM reading JOIN launch ON launch.id = reading.launch_id
    JOIN metric ON metric.id = reading.metric_id WHERE metric.key = 'global_load_sectors' ORDER BY reading.value DESC LIMIT 1;
  UPDATE reading SET value = value * 105 / 100 WHERE metric_id IN (SELECT id FROM metric WHERE key IN
    ('global_load_bytes', 'global_load_sectors', 'global_load_requests', 'l1_load_sectors'))
    AND launch_id IN (SELECT id FROM launch WHERE group_id IN (SELECT id FROM most))" || fail "the fixture could not be changed"

"$COALESCOPE" diff "$before" "$before" >same || fail "status $?"
head -1 same | grep -q '^coalescope diff: No difference' || fail "a capture differs from itself: $(cat same)"
"$COALESCOPE" diff --fail-on different "$before" "$before" >/dev/null || fail "status $? without a difference"

"$COALESCOPE" diff "$before" worse.coal >text || fail "status $?"
head -1 text | grep -q '^coalescope diff: Worse: 1 kernel got worse' || fail "5 % were not found: $(cat text)"
grep -q 'load sectors .*+5.0 %' text || fail "the count is not named: $(cat text)"
[ "$(wc -l <text)" -le 40 ] || fail "more than a screen"
for wanted in worse different; do
  "$COALESCOPE" diff --fail-on $wanted "$before" worse.coal >/dev/null
  [ $? -eq 1 ] || fail "--fail-on $wanted passed"
done
"$COALESCOPE" diff --fail-on worse worse.coal "$before" >/dev/null || fail "what got better is worse"
"$COALESCOPE" diff --fail-on different worse.coal "$before" >/dev/null
[ $? -eq 1 ] || fail "what got better is not different"

for format in '' --verbose --json --markdown; do
  "$COALESCOPE" diff $format "$before" worse.coal >printed || fail "$format"
  for _ in new again; do  # a file of ours may be replaced
    "$COALESCOPE" diff $format "$before" worse.coal -o written 2>err || fail "$format -o: $(cat err)"
  done
  cmp -s printed written || fail "$format: the file differs from stdout"
  rm written
done
"$COALESCOPE" diff --html page.html "$before" worse.coal 2>err || fail "--html: $(cat err)"
sed 's/\xc2\xa0/ /g' page.html | grep -q 'load sectors +5.0 %' || fail "the page does not say it"
"$COALESCOPE" diff --json "$before" worse.coal >data.json
command -v python3 >/dev/null && { python3 - <<'EOF' || fail "the data do not say it"; }
import json
comparison = json.load(open("data.json"))["comparison"]
assert comparison["judgement"] == "worse" and comparison["is_worse"]
worst = next(each for each in comparison["kernels"][0]["numbers"] if each["key"] == "load_sectors")
assert worst["judgement"] == "worse" and abs(worst["after"] / worst["before"] - 1.05) < 0.001, worst
EOF

# What cannot be compared is no difference, and no agreement.
"$COALESCOPE" diff "$before" "$recorded/torch.coal" >text 2>err
[ $? -eq 4 ] && grep -q 'error: not comparable: .* of different programs' err || fail "other programs: $(cat text err)"
head -1 text | grep -q 'Not comparable' || fail "no verdict: $(cat text)"
grep -q '^Counts' text && fail "what cannot be compared was: $(cat text)"
cp "$before" other_gpu.coal && chmod u+w other_gpu.coal
sqlite3 other_gpu.coal "UPDATE device SET name = 'NVIDIA A100'"
"$COALESCOPE" diff --fail-on worse "$before" other_gpu.coal >text 2>err
[ $? -eq 4 ] && grep -q 'record both on one kind of GPU' err || fail "another GPU: $(cat text err)"
echo 'my thesis' >thesis.txt
refused 3 'thesis.txt' diff "$before" thesis.txt
refused 3 'there is no such file' diff absent.coal "$before"
refused 2 'is required' diff "$before"
refused 2 'excludes' diff --json --markdown "$before" "$before"
refused 2 'fail-on' diff --fail-on rain "$before" "$before"
refused 2 'is not a report' diff "$before" "$before" -o thesis.txt
[ "$(cat thesis.txt)" = 'my thesis' ] || fail "a refused comparison wrote"
