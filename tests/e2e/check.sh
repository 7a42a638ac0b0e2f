# The gate: what passes and what does not, by the command line and by .coalescope.toml.
recorded=$(cd "$(dirname "${BASH_SOURCE[0]}")/../fixtures/recorded" && pwd)
command -v sqlite3 >/dev/null || skip "no sqlite3 here"
capture=$recorded/showcase.coal
mkdir repository repository/.git && cd repository || fail "no folder"

"$COALESCOPE" check "$capture" >text
[ $? -eq 1 ] || fail "severe findings passed: $(cat text)"
head -1 text | grep -q '^coalescope check: Failed: ' || fail "no verdict: $(cat text)"
all_off=$("$COALESCOPE" rules --json | tr ',{}' '\n\n\n' | sed -n 's/.*"id": *"\([A-Z][0-9]*\)".*/\1=off/p' | sort -u | paste -sd,)
"$COALESCOPE" check --rule "$all_off" "$capture" >text || fail "status $? with all rules off: $(cat text)"
"$COALESCOPE" check --rule "$all_off" --min-degree 99% "$capture" >text
[ $? -eq 1 ] || fail "no degree is below 99 %"
"$COALESCOPE" check --rule "$all_off" --rule degree=warn --min-degree 99% "$capture" >text || fail "a warning failed"
"$COALESCOPE" check --rule "$all_off" --rule G01=warn --max-lost-time 0.001ms "$capture" >text
[ $? -eq 1 ] || fail "no finding costs a microsecond"

# A baseline leaves only what is worse.
"$COALESCOPE" check --baseline "$capture" "$capture" >text || fail "worse than itself: $(cat text)"
# Nor where a rule is named, which has findings in libraries, too.
gpt=$recorded/../page/gpt.coal
"$COALESCOPE" check --rule G01=error "$gpt" >text
[ $? -eq 1 ] || fail "a rule that is named found nothing: $(cat text)"
"$COALESCOPE" check --rule G01=error --baseline "$gpt" "$gpt" >text || fail "worse than itself: $(cat text)"
cp "$capture" worse.coal && chmod u+w worse.coal
sqlite3 worse.coal "UPDATE reading SET value = value * 105 / 100 WHERE metric_id IN (SELECT id FROM metric WHERE key IN
  ('global_load_bytes', 'global_load_sectors', 'global_load_requests', 'l1_load_sectors'))"
"$COALESCOPE" check --baseline "$capture" worse.coal >text
[ $? -eq 1 ] || fail "5 % more passed: $(cat text)"
grep -q 'regression' text || fail "nobody says regression: $(cat text)"
"$COALESCOPE" check --baseline "$capture" --max-regression 6% worse.coal >text || fail "6 % are allowed: $(cat text)"

# The file says the same, from any folder below it, and the command line stands over it.
cp "$capture" good.coal
cat >.coalescope.toml <<'EOF'
[check]
baseline = "good.coal"
max-regression = "6%"
EOF
mkdir -p src/deep
(cd src/deep && "$COALESCOPE" check ../../worse.coal >../../text) || fail "the file was not found: $(cat text)"
"$COALESCOPE" check --max-regression 1% worse.coal >text
[ $? -eq 1 ] || fail "the file stands over the command line"
cat >.coalescope.toml <<'EOF'
[[suppress]]
kernel = "."
reason = "all of it is known"
until = 9999-12-31
EOF
"$COALESCOPE" check "$capture" >text || fail "status $? with all suppressed: $(cat text)"
grep -q 'until 9999-12-31: all of it is known' text || fail "the reason is not told: $(cat text)"
sed -i 's/9999/2001/' .coalescope.toml
"$COALESCOPE" check "$capture" >text
[ $? -eq 1 ] || fail "a suppression holds beyond its day"
grep -q 'line 1 ended on 2001-12-31' text || fail "nobody says that it ended: $(cat text)"

printf '[check]\nmin-degree = "much"\n' >.coalescope.toml
refused 2 'line 2, column 14' check "$capture"
printf '[check\n' >.coalescope.toml
refused 2 'line 1' check "$capture"
refused 2 'cannot read' check --config absent.toml "$capture"
rm .coalescope.toml
refused 2 "did you mean 'G01'" check --rule G1=off "$capture"
refused 2 'ID=error' check --rule G01=loud "$capture"
refused 2 '--min-degree' check --min-degree half "$capture"
refused 2 'excludes' check --json --sarif "$capture"

# What tells nothing neither passes nor fails.
"$COALESCOPE" check --baseline "$recorded/torch.coal" "$capture" >text
[ $? -eq 4 ] || fail "other programs were compared: $(cat text)"
cp "$capture" little.coal && chmod u+w little.coal
sqlite3 little.coal "DELETE FROM instruction_reading; DELETE FROM reading"
"$COALESCOPE" check --rule "$all_off" little.coal >text
[ $? -eq 4 ] || fail "nothing was measured, and it passed: $(cat text)"
echo 'my thesis' >thesis.txt
refused 3 'thesis.txt' check thesis.txt
refused 3 'there is no such file' check --baseline absent.coal "$capture"

command -v python3 >/dev/null || skip "no python3 here"
for format in --json --sarif --junit --markdown ''; do
  for _ in new again; do
    "$COALESCOPE" check $format "$capture" -o written 2>err
    [ $? -eq 1 ] || fail "$format -o: $(cat err)"
  done
  mv written "answer$format"
done
python3 - <<'EOF' || fail "an answer cannot be read"
import json, xml.etree.ElementTree as xml
errors = sum(each["severity"] == "error" for each in json.load(open("answer--json"))["check"]["violations"])
results = json.load(open("answer--sarif"))["runs"][0]["results"]
suite = xml.parse("answer--junit").getroot()
assert errors > 0 and sum(each["level"] == "error" for each in results) == errors == int(suite.get("failures"))
assert len(suite.findall(".//failure")) == errors
EOF
