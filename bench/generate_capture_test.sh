# generate_capture_test.sh GENERATOR COALESCOPE: the same capture twice, and a report that counts what was asked for.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$1" "$folder/a.coal" 20000 200 3000
"$1" "$folder/b.coal" 20000 200 3000
cmp "$folder/a.coal" "$folder/b.coal"
"$2" report "$folder/a.coal" --json >"$folder/report.json"
for expected in '"launches": 20000' '"kernel_groups": 200' '"transfers": 3000' '"rule": "G01"'; do
  grep -qF "$expected" "$folder/report.json" || { echo "the report does not say $expected" >&2; exit 1; }
done
