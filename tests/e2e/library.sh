# Read by every test here. $COALESCOPE is the binary, $PROGRAMS the folder of the test programs, $STANDIN that of the
# stand-ins for CUDA; the test runs in an empty folder of its own.
set -u

fail() {
  echo "failed: $*" >&2
  exit 1
}

skip() {
  echo "skipped: $*" >&2
  exit 77
}

# same COMMAND: output, errors and end are the same with and without coalescope, whose closing note is the only
# thing more. Input comes from the file `input`, if there is one. It is recorded $RECORDINGS times, once if that is not set.
same() {
  local input=/dev/null recording
  [ ! -e input ] || input=input
  "$PROGRAMS/ending" alone.end "$@" <"$input" >alone.out 2>alone.err
  for recording in $(seq "${RECORDINGS:-1}"); do
    "$PROGRAMS/ending" under.end "$COALESCOPE" record -o same.coal -- "$@" <"$input" >under.out 2>under.all
    grep -v '^coalescope: note: wrote same.coal' under.all >under.err
    for what in end out err; do
      cmp "alone.$what" "under.$what" || fail "'$*' has another .$what in recording $recording: $(head -c 300 "under.$what")"
    done
    [ "$(grep -c '^coalescope: ' under.all)" -eq 1 ] || fail "'$*': not one closing line: $(cat under.all)"
    [ -s same.coal ] || fail "'$*' left no capture"
  done
}

# refused STATUS WORDS COMMAND: coalescope ends with the status, says the words on stderr, and prints nothing.
refused() {
  local status=$1 words=$2
  shift 2
  "$COALESCOPE" "$@" >refused.out 2>refused.err </dev/null
  local got=$?
  [ "$got" -eq "$status" ] || fail "coalescope $*: status $got, not $status: $(cat refused.err)"
  grep -qF -- "$words" refused.err || fail "coalescope $*: does not say '$words': $(cat refused.err)"
  [ ! -s refused.out ] || fail "coalescope $*: prints on stdout: $(cat refused.out)"
}
