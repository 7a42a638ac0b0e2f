#!/usr/bin/env bash
# each_recorded.sh TEST COALESCOPE STANDIN LIBRARY FOLDER: a test of this folder that records a program, with every Python
# that is tested. They run side by side, each in a folder of its own: most of the time they wait.
set -euo pipefail
. "$(dirname "$0")/pythons.sh"
test=$(dirname "$0")/$1
folder=$5
mkdir -p "$folder"
running=()
for at in "${!pythons[@]}"; do
  /usr/bin/python3 "$test" "${@:2:3}" "$folder/$at" ${pythons[at]} >"$folder/$at.log" 2>&1 &
  running+=($!)
done
failed=0
for at in "${!pythons[@]}"; do
  wait "${running[at]}" || failed=1
  echo "== ${pythons[at]}"
  cat "$folder/$at.log"
done
exit $failed
