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

# What a person needs to see of a capture when a test failed on it.
explain() {
  echo "the diagnostics: $(sql 'SELECT origin, code, count, text FROM diagnostic' | cut -c 1-300 | head -n 12)"
  echo "the launches: $(sql "SELECT k.process_id, substr(k.name, 1, 40), grid_x, graph_id IS NOT NULL, count(*)
    FROM launch l JOIN kernel_group g ON g.id = l.group_id JOIN kernel k ON k.id = g.kernel_id
    GROUP BY g.id, graph_id IS NOT NULL" | head -n 12)"
  echo "the coverage: $(sql "SELECT group_id, p.name, launches_seen, launches_measured, r.name FROM coverage
    JOIN phase p ON p.id = phase JOIN coverage_reason r ON r.id = reason" | head -n 16)"
}

# is EXPECTED QUERY
is() {
  local got
  got=$(sql "$2") || fail "cannot query: $2"
  [ "$got" = "$1" ] || fail "'$got', not '$1', is the answer to: $2
$(explain 2>&1)"
}

# says TEXT...: the unwrapped run of the last `same` printed each.
says() {
  local text
  for text in "$@"; do
    grep -qF -- "$text" alone.out || fail "the program itself does not say '$text': $(cat alone.out alone.err)"
  done
}

# alike COMMAND: the same end and stdout with and without coalescope. As `same`, for programs whose stderr differs from
# run to run, or that leave a capture with a warning. They may read no input.
alike() {
  local recording
  "$PROGRAMS/ending" alone.end "$@" >alone.out 2>alone.err </dev/null
  for recording in $(seq "${RECORDINGS:-1}"); do
    "$PROGRAMS/ending" under.end "$COALESCOPE" record -o same.coal -- "$@" >under.out 2>under.err </dev/null
    for what in end out; do
      cmp "alone.$what" "under.$what" >&2 || fail "'$*' has another .$what in recording $recording: \
'$(head -c 600 "under.$what")', not '$(head -c 600 "alone.$what")'; its stderr ends with: $(tail -n 5 under.err)"
    done
    [ -s same.coal ] || fail "'$*' left no capture: $(tail -n 5 under.err)"
  done
}

# has_module NAME: skips where this machine's Python has no such module.
has_module() {
  python3 -c "import $1" >/dev/null 2>import.err || skip "no $1 here: $(tail -n 1 import.err)"
}

readings_of() {
  echo "reading r JOIN launch l ON l.id = r.launch_id JOIN kernel_group g ON g.id = l.group_id
        JOIN kernel k ON k.id = g.kernel_id JOIN metric m ON m.id = r.metric_id WHERE k.name LIKE '%$1%'"
}

# Every kept reading of the kernel `strided` equals its closed form, and there is at least one.
strided_is_exact() {
  local from
  from=$(readings_of strided)
  is 12800 "SELECT DISTINCT value FROM $from AND m.key = 'global_load_bytes'"
  is 3200 "SELECT DISTINCT value FROM $from AND m.key = 'global_load_sectors'"
  is 100 "SELECT DISTINCT value FROM $from AND m.key = 'global_load_requests'"
  is 400 "SELECT DISTINCT value FROM $from AND m.key = 'global_store_sectors'"
}

# never_measured KERNEL: it was launched, none of its launches was measured, and the reason is that it must not be.
never_measured() {
  is 1 "SELECT count(*) > 0 FROM launch l JOIN kernel_group g ON g.id = l.group_id JOIN kernel k ON k.id = g.kernel_id
        WHERE k.name LIKE '%$1%'"
  is 0 "SELECT count(*) FROM $(readings_of "$1")"
  is skip_listed "SELECT DISTINCT c.name FROM coverage JOIN coverage_reason c ON c.id = reason
                  JOIN kernel_group g ON g.id = group_id JOIN kernel k ON k.id = g.kernel_id WHERE k.name LIKE '%$1%'"
}
