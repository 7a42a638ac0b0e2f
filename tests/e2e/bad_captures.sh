# Files that cannot be reported on: status 3, the file's name, and what to do.
echo 'no capture at all' >text.coal
: >empty.coal
refused 3 "absent.coal'" report absent.coal
refused 3 "text.coal'" report text.coal
refused 3 "empty.coal'" report empty.coal
refused 3 'cannot read' report .
recorded=$(cd "$(dirname "${BASH_SOURCE[0]}")/../fixtures/recorded" && pwd)
refused 3 'memory' report --memory 1 "$recorded/calibration.coal"
command -v sqlite3 >/dev/null || skip "no sqlite3 to make a later schema with"
sqlite3 other.coal 'CREATE TABLE t (x)'
refused 3 'other.coal' report other.coal
sqlite3 newer.coal 'PRAGMA application_id = 0x636f616c; PRAGMA user_version = 1000; CREATE TABLE capture (id)'
refused 3 '1000' report newer.coal
seq 100000 | sqlite3 newer.coal 'CREATE TABLE rows (x)' '.import /dev/stdin rows'
head -c 20000 newer.coal >cut.coal
refused 3 'cut.coal' report cut.coal
