# A report shows the program's source as it was recorded, wherever it is made, and no other file of its machine.
[ -x "$STANDIN/player" ] || skip "no stand-in to record without a GPU"
export STANDIN_SCRIPT=$PWD/script COALESCOPE_CUPTI_PATH=$STANDIN
here=$PWD
line='x = in[8 * i];'
mkdir source elsewhere
printf '%s\n' 'one();' 'two();' "$line" 'four();' >source/a.cu
printf 'kernel a {\n  load pc=16 file=%s line=3\n}\nlaunch a times=40\n' "$here/source/a.cu" >script
"$COALESCOPE" record -o with.coal --budget none -- "$STANDIN/player" >/dev/null 2>err || fail "$(cat err)"
"$COALESCOPE" record -o without.coal --no-source --budget none -- "$STANDIN/player" >/dev/null 2>err || fail "$(cat err)"
grep -qF "$line" with.coal || fail "the capture does not carry the line"
! grep -qF "$line" without.coal || fail "--no-source kept the line"

# shows|hides WORDS FOLDER OPTIONS: in the page and the JSON that are made in the folder.
page() {
  local folder=$1
  shift
  (cd "$folder" && "$COALESCOPE" report "$@" --html "$here/page" 2>"$here/err") || fail "report $*: $(cat err)"
  (cd "$folder" && "$COALESCOPE" report "$@" --json >>"$here/page" 2>>"$here/err") || fail "report $*: $(cat err)"
}
shows() { page "${@:2}" && grep -qF "$1" page || fail "in ${*:2}: does not show $1"; }
hides() { page "${@:2}" && ! grep -qF "$1" page || fail "in ${*:2}: shows $1"; }

shows "$line" elsewhere ../with.coal
hides 'are not shown' elsewhere ../with.coal
hides "$line" elsewhere ../with.coal --no-source
hides "$line" elsewhere ../without.coal
shows 'report --source-root DIR' elsewhere ../without.coal
shows "$line" elsewhere ../without.coal --source-root ../source
hides "$line" . without.coal --no-source
shows "$line" . without.coal
hides 'are not shown' . without.coal
refused 2 'source-root' report with.coal --source-root absent

echo 'five();' >>source/a.cu
hides 'changed after' elsewhere ../with.coal
shows 'changed after the recording' . with.coal
sed -i 's/8/9/' source/a.cu
shows "$line" . with.coal
rm source/a.cu
shows "$line" . with.coal
hides 'changed after' . with.coal

# What a stranger's capture could name.
command -v sqlite3 >/dev/null || skip "no sqlite3 to change a capture with"
echo 'password' >source/secret.py
ln -s ../source/secret.py elsewhere/link.py
for name in "$here/source/secret.py" ../source/secret.py link.py "$here/elsewhere/../source/secret.py"; do
  sqlite3 without.coal "UPDATE instruction SET file = '$name', line = 1; UPDATE capture SET working_directory = '$here/elsewhere'"
  hides password elsewhere ../without.coal
  (cd elsewhere && "$COALESCOPE" report ../without.coal --json) | grep -q password && fail "JSON shows $name"
done
shows password . without.coal
