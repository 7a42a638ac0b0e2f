# run_all.sh BIN_DIR PROGRAMS_DIR [TEST...]: the tests of this folder with programs that were built elsewhere, one line
# a test. Logs, and the files of tests that failed, go to $OUT if it is set. Status 1: a test failed. With RECORDINGS=10
# each program whose output and status are compared with those of a native run is recorded ten times.
gpu=$(cd "$(dirname "$0")" && pwd)
[ $# -ge 2 ] || { echo "usage: run_all.sh BIN_DIR PROGRAMS_DIR [TEST...]" >&2; exit 2; }
COALESCOPE=$(cd "$1" && pwd)/coalescope && PROGRAMS=$(cd "$2" && pwd) || exit 2
export COALESCOPE PROGRAMS
shift 2
[ -x "$COALESCOPE" ] || { echo "run_all.sh: '$COALESCOPE' is no program" >&2; exit 2; }
KEPT=${OUT:-$(mktemp -d)}/gpu-tests
export KEPT
mkdir -p "$KEPT" || exit 2

tests=("$@")
if [ ${#tests[@]} -eq 0 ]; then
  for file in "$gpu"/*.sh; do
    name=$(basename "$file" .sh)
    case $name in library | run | run_all) ;; *) tests+=("$name") ;; esac
  done
fi

passed=0 failed=0 skipped=0
for name in "${tests[@]}"; do
  if [ ! -f "$gpu/$name.sh" ]; then
    echo "run_all.sh: there is no test '$name'" >&2
    exit 2
  fi
  log=$KEPT/$name.log
  began=$SECONDS
  limit=120
  case $name in calibrate | gate) limit=300 ;; esac  # all reference kernels; four recordings of a GPT
  timeout -k 5 $((limit * ${RECORDINGS:-1})) bash "$gpu/run.sh" "$name" >"$log" 2>&1 </dev/null
  status=$?
  took=$((SECONDS - began))
  case $status in
    0) verdict=pass passed=$((passed + 1)) why=$(sed -n 's/^note: //p' "$log" | tail -n 1) ;;
    77) verdict=skip skipped=$((skipped + 1)) why=$(sed -n 's/^skipped: //p' "$log" | tail -n 1) ;;
    124 | 137) verdict=FAIL failed=$((failed + 1)) why="no end within $((limit * ${RECORDINGS:-1})) s" ;;
    *) verdict=FAIL failed=$((failed + 1)) why=$(grep -m 1 '^failed: ' "$log" | cut -c 9-1200) ;;
  esac
  printf '%-4s %-16s %3d s  %s\n' "$verdict" "$name" "$took" "$why"
done
echo "$passed passed, $failed failed, $skipped skipped; logs are in $KEPT"
[ $failed -eq 0 ]
