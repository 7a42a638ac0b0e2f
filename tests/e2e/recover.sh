# What a killed recording leaves is made a capture, and one that goes on is left alone.
[ -x "$STANDIN/player" ] || skip "no stand-in to record without a GPU"
export STANDIN_SCRIPT=$PWD/script COALESCOPE_CUPTI_PATH=$STANDIN
printf 'kernel a\nlaunch a times=400\nsync\nsleep ms=100000\n' >script
trap 'kill -KILL $(jobs -p) $player 2>/dev/null' EXIT
player=
set -m # a group for each recording
launches='"launches": [23][0-9][0-9]'  # of 400; the others are in a buffer that is not full

# begin NAME: a recording that has written what it measured; $recorder and $player are its processes.
begin() {
  "$COALESCOPE" record -o "$1" --budget none -- "$STANDIN/player" >/dev/null 2>"$1.err" &
  recorder=$!
  for ((i = 0; i < 300; ++i)); do
    sleep 0.1
    part=$(find . -path "./.$1.parts-*/*.part.coal")
    [ -n "$part" ] && "$COALESCOPE" report "$part" --json 2>/dev/null | grep -q "$launches" && break
  done
  [ $i -lt 300 ] || fail "nothing is recorded: $(cat "$1.err")"
  player=$(pgrep -P "$recorder" -x player) || fail "the program does not run"
}
ended() {
  for ((i = 0; i < 600; ++i)); do
    kill -0 "$1" 2>/dev/null || return 0
    sleep 0.1
  done
  fail "process $1 does not end"
}
# Either of the two may end last.
kill_all() {
  kill -KILL -- "-$recorder"
  ended "$recorder"
  ended "$player"
}
left() { find . -maxdepth 1 -name '.*.parts-*'; }

"$COALESCOPE" recover 2>err || fail "nothing to recover: $(cat err)"
grep -q 'no recording that was cut off' err || fail "$(cat err)"
refused 2 'cannot recover' recover absent
mkdir folder && refused 2 'cannot recover' recover folder

# coalescope alone is killed, and the program runs on.
begin x.coal
refused 1 'is still being recorded' recover
folder=$(left)
refused 1 'is still being recorded' recover "$folder/"
kill -KILL "$recorder"
ended "$recorder"
[ ! -e x.coal ] || fail "there is a capture already"
kill -0 "$player" || fail "the program ended with coalescope"
refused 1 'runs on' recover
kill -KILL "$player"
ended "$player"
"$COALESCOPE" record -o other.coal -- true 2>err
grep -q "$folder' was left by a recording that was cut off; 'coalescope recover'" err || fail "it is not said: $(cat err)"
"$COALESCOPE" recover 2>err || fail "status $?: $(cat err)"
grep -q 'wrote .*x.coal (1 process)' err || fail "$(cat err)"
[ -z "$(left)" ] || fail "something was left: $(left)"
"$COALESCOPE" report x.coal --json >report.json || fail "no report"
grep -qF "$STANDIN/player" report.json || fail "the command is not known"
grep -qF "\"working_directory\": \"$PWD\"" report.json || fail "the folder is not known"
grep -q "$launches" report.json || fail "launches are missing"
grep -q '"code": "recovered"' report.json || fail "it is not said that the end was not seen"
"$COALESCOPE" record -o other.coal -- true 2>err
! grep -q 'cut off' err || fail "a recovered recording is still named: $(cat err)"

# All of it is killed, twice; the name is taken.
for name in x.coal y.coal; do
  begin $name
  kill_all
done
"$COALESCOPE" record -o other.coal -- true 2>err
grep -q "2 recordings that were cut off lie in '$PWD'; 'coalescope recover'" err || fail "$(cat err)"
[ "$(grep -c '^coalescope: ' err)" -eq 2 ] || fail "not one line: $(cat err)"
refused 2 'name its folder' recover -o z.coal
echo 'my thesis' >thesis
folder=$(left | grep x.coal)
refused 2 '--force' recover "$folder" -o thesis
before=$(cksum <x.coal)
mkdir place
"$COALESCOPE" recover "$folder" -o place/z.coal 2>err || fail "$(cat err)"
"$COALESCOPE" report place/z.coal --json | grep -q "$launches" || fail "launches are missing in z.coal"
cp other.coal y.coal
"$COALESCOPE" recover 2>err || fail "$(cat err)"
"$COALESCOPE" report y-2.coal --json | grep -q "$launches" || fail "launches are missing in y-2.coal"
[ "$(cksum <x.coal)" = "$before" ] && cmp -s other.coal y.coal || fail "a capture was replaced"
[ -z "$(left)" ] && [ "$(cat thesis)" = 'my thesis' ] || fail "left: $(left)"

# Nothing of a recording that ended in order.
"$COALESCOPE" record -o other.coal -- true 2>/dev/null
"$COALESCOPE" recover 2>err && grep -q 'no recording that was cut off' err || fail "$(cat err)"

# The folder may be a stranger's: no library that a part names is loaded.
if command -v sqlite3 >/dev/null && command -v cc >/dev/null; then
  mark=$PWD/loaded
  echo "#include <stdio.h>
__attribute__((constructor)) static void load(void) { FILE* f = fopen(\"$mark\", \"w\"); if (f) fclose(f); }" >strange.c
  cc -shared -fPIC -o strange.so strange.c
  begin x.coal
  kill_all
  part=$(find . -path './.x.coal.parts-*/*.part.coal')
  sqlite3 "$part" "UPDATE process SET cupti_path = '$PWD/strange.so'"
  env -u COALESCOPE_CUPTI_PATH "$COALESCOPE" recover 2>err || fail "$(cat err)"
  [ ! -e "$mark" ] || fail "a library that the part names was loaded"
fi
