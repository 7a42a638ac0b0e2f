# Read by every test here, after the end-to-end tests' own: see ../e2e/library.sh.
nvidia-smi -L >/dev/null 2>&1 || [ -e /dev/nvidia0 ] || skip "this machine has no NVIDIA GPU"
here=$(dirname "${BASH_SOURCE[0]}")

# sql QUERY: what it answers on same.coal or $CAPTURE, one row a line.
sql() {
  python3 - "${CAPTURE:-same.coal}" "$1" <<'PYTHON'
import sqlite3, sys
for row in sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True).execute(sys.argv[2]):
    print("|".join("NULL" if value is None else str(value) for value in row))
PYTHON
}

# is EXPECTED QUERY
is() {
  local got
  got=$(sql "$2") || fail "cannot query: $2"
  [ "$got" = "$1" ] || fail "$2: '$got', not '$1': $(sql 'SELECT origin, code, text FROM diagnostic')"
}

# Every kept reading of the kernel `strided` equals its closed form, and there is at least one.
strided_is_exact() {
  local from="reading r JOIN launch l ON l.id = r.launch_id JOIN kernel_group g ON g.id = l.group_id
              JOIN kernel k ON k.id = g.kernel_id JOIN metric m ON m.id = r.metric_id WHERE k.name LIKE '%strided%'"
  is 12800 "SELECT DISTINCT value FROM $from AND m.key = 'global_load_bytes'"
  is 3200 "SELECT DISTINCT value FROM $from AND m.key = 'global_load_sectors'"
  is 100 "SELECT DISTINCT value FROM $from AND m.key = 'global_load_requests'"
  is 400 "SELECT DISTINCT value FROM $from AND m.key = 'global_store_sectors'"
}
