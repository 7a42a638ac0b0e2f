# How diff matches kernels and findings, on captures of real programs that were changed as an edit of the program would.
fixtures=$(cd "$(dirname "${BASH_SOURCE[0]}")/../fixtures" && pwd)
command -v sqlite3 >/dev/null || skip "no sqlite3 here"
command -v python3 >/dev/null || skip "no python3 here"
lu=$fixtures/page/lu.coal showcase=$fixtures/recorded/showcase.coal

# changed FROM NEW SQL: a copy in which that was done.
changed() {
  cp "$1" "$2" && chmod u+w "$2" && sqlite3 "$2" "$3" || fail "$1 could not be changed"
}
# holds EXPRESSION: of the comparison's data, as written last.
holds() {
  python3 -c '
import json, sys
c = json.load(open("data.json"))["comparison"]
kernel = {k["name"]: k for k in c["kernels"]}
finding = {f["state"]: f for f in c["findings"]}
sys.exit(not eval(sys.argv[1]))' "$1" || fail "not so: $1: $(head -c 3000 data.json)"
}
# in_all_formats BEFORE AFTER TEXT...: each of them says it; HTML and Markdown without their marks for plain characters.
in_all_formats() {
  "$COALESCOPE" diff "$1" "$2" >shown.text && "$COALESCOPE" diff --markdown "$1" "$2" >shown.markdown &&
    "$COALESCOPE" diff --json "$1" "$2" >data.json && "$COALESCOPE" diff --html page.html --force "$1" "$2" 2>/dev/null ||
    fail "status $? of diff $1 $2"
  tr -d '\\' <shown.markdown >markdown
  sed 's/<wbr>//g; s/\xc2\xa0/ /g; s/&lt;/</g; s/&gt;/>/g; s/&amp;/\&/g' page.html >html
  shift 2
  for text in "$@"; do
    for shown in shown.text markdown html; do
      tr -s ' \n' ' ' <$shown | grep -qF -- "$text" || fail "$shown does not say '$text': $(head -c 2000 $shown)"
    done
  done
}

# Another name at the same call is the same kernel, and so is one with other template arguments.
changed "$lu" renamed.coal "UPDATE kernel SET name = replace(name, '6updateEPfi', '12apply_updateEPfi')"
in_all_formats "$lu" renamed.coal 'No difference'
holds 'kernel["apply_update"]["match"] == "renamed" and kernel["apply_update"]["before_name"] == "update"'
holds 'kernel["apply_update"]["shapes_compared"] > 5 and finding["same"]["subject"] == "apply_update"'
"$COALESCOPE" diff --fail-on different "$lu" renamed.coal >/dev/null || fail "a new name is a difference"
changed "$showcase" arguments.coal "UPDATE kernel SET name = replace(name, 'strided_copyILi32E', 'strided_copyILi16E')"
in_all_formats "$showcase" arguments.coal 'No difference'
holds 'kernel["strided_copy<16>"]["match"] == "other_arguments"'
# One that moves 5 % more under another name is still worse.
changed renamed.coal renamed_worse.coal "UPDATE reading SET value = value * 105 / 100 WHERE metric_id IN
  (SELECT id FROM metric WHERE key IN ('global_load_sectors', 'l1_load_sectors'))"
"$COALESCOPE" diff --fail-on worse "$lu" renamed_worse.coal >text
[ $? -eq 1 ] && grep -q '^coalescope diff: Worse' text && grep -q 'apply_update' text || fail "the name hides 5 %: $(cat text)"
# Where two could be each other's nothing is guessed.
changed "$showcase" came.coal "UPDATE kernel SET name = '_Z7fillingPj' WHERE name LIKE '%offset_copyI%';
  UPDATE kernel SET name = '_Z7zeroingPj' WHERE name LIKE '%strided_copyI%'"
in_all_formats "$showcase" came.coal 'new' 'gone'
holds '{"only_before", "only_after"} <= {k["match"] for k in c["kernels"]} and c["judgement"] != "same"'

# What a repair of `update` would count: whole sectors, half of the time.
groups='SELECT kernel_group.id FROM kernel_group JOIN kernel ON kernel.id = kernel_id WHERE kernel.name LIKE "%update%"'
update="SELECT id FROM launch WHERE group_id IN ($groups)"
keys() { echo "metric_id IN (SELECT id FROM metric WHERE key IN ($1))"; }
changed "$lu" repaired.coal "
  UPDATE launch SET gpu_ns = gpu_ns / 2 WHERE id IN ($update);
  UPDATE launch_total SET gpu_ns = gpu_ns / 2, shortest_gpu_ns = shortest_gpu_ns / 2 WHERE group_id IN ($groups);
  UPDATE reading SET value = (value + 7) / 8 WHERE launch_id IN ($update) AND $(keys "'global_load_sectors', 'global_store_sectors',
    'l1_load_sectors', 'l1_store_sectors', 'l2_read_sectors', 'l2_write_sectors'");
  UPDATE reading SET value = (SELECT value FROM reading AS other WHERE other.launch_id = reading.launch_id AND other.$(keys "'global_load_sectors'")) * 32
    WHERE launch_id IN ($update) AND $(keys "'global_load_bytes'");
  UPDATE reading SET value = (SELECT value FROM reading AS other WHERE other.launch_id = reading.launch_id AND other.$(keys "'global_store_sectors'")) * 32
    WHERE launch_id IN ($update) AND $(keys "'global_store_bytes'");
  UPDATE instruction_reading SET value = (SELECT value FROM instruction_reading AS other WHERE other.window_id = instruction_reading.window_id
      AND other.instruction_id = instruction_reading.instruction_id AND other.$(keys "'instruction_ideal_sectors'"))
    WHERE $(keys "'instruction_sectors'")"
in_all_formats "$lu" repaired.coal 'Better' 'vanished' '5.13 s'
holds 'finding["vanished"]["rule"] == "G01" and finding["vanished"]["before_lost_ns"] > 5e9 and finding["vanished"]["after_lost_ns"] is None'
holds 'finding["vanished"]["gained_ns"] > 1e9 and finding["vanished"]["decides"]'
gained=$(sed -n 's/^ *vanished .* \([0-9.]* m\{0,1\}s\)$/\1/p' shown.text)
[ -n "$gained" ] || fail "no gain in the table: $(cat shown.text)"
in_all_formats "$lu" repaired.coal "$gained"
"$COALESCOPE" diff --fail-on worse "$lu" repaired.coal >/dev/null || fail "a repair is worse"
in_all_formats repaired.coal "$lu" 'Worse' 'appeared'
"$COALESCOPE" diff --fail-on worse repaired.coal "$lu" >/dev/null
[ $? -eq 1 ] || fail "a finding that appeared passed"

# What one side did not measure is not compared, and the verdict says how little it rests on; unless the code is the same.
changed "$lu" same_code.coal "DELETE FROM reading WHERE launch_id IN ($update);
  DELETE FROM instruction_reading WHERE window_id IN (SELECT window_id FROM launch WHERE id IN ($update))
    AND $(keys "'instruction_loads', 'instruction_stores'")"
in_all_formats "$lu" same_code.coal 'No difference' 'Of 1 kernel (update) only the code was compared'
changed same_code.coal little.coal "UPDATE instruction SET module_crc = module_crc + 1"
in_all_formats "$lu" little.coal 'were measured both times'
holds 'c["coverage"] < 0.1 and kernel["update"]["shapes_compared"] == 0 and kernel["update"]["not_compared"]'
"$COALESCOPE" diff --verbose "$lu" little.coal | tr -s ' \n' ' ' | grep -qF 'update' || fail "--verbose does not name it"
"$COALESCOPE" check --rule G01=off --baseline "$lu" little.coal >text
[ $? -eq 4 ] || fail "the gate passed what was not measured: $(cat text)"

# Hostile names and damaged files, on either side.
changed "$lu" hostile.coal "UPDATE kernel SET name = char(27) || '[31m<script>alert(1)</script>|' || name;
  UPDATE call_site SET symbol = '<script>alert(2)</script>' || char(27) || ']0;x' || char(7);
  UPDATE device SET name = name || char(27) || '<script>alert(3)</script>'"
changed hostile.coal hostile_worse.coal "UPDATE reading SET value = value * 2 WHERE $(keys "'global_load_sectors', 'l1_load_sectors'")"
in_all_formats hostile.coal hostile_worse.coal 'Worse'
! grep -q "$(printf '[\033\007]')" shown.text shown.markdown page.html data.json || fail "control characters came through"
! grep -qi '<script>alert' page.html shown.markdown || fail "markup came through"
head -c 60000 "$lu" >cut.coal
: >empty.coal
changed "$lu" newer.coal 'PRAGMA user_version = 1000'
changed "$lu" huge.coal "UPDATE reading SET value = 9223372036854775807"
for bad in cut empty newer huge; do
  refused 3 "$bad.coal" diff "$bad.coal" "$lu"
  refused 3 "$bad.coal" diff "$lu" "$bad.coal"
  refused 3 "$bad.coal" check --baseline "$bad.coal" "$lu"
done
