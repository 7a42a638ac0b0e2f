#!/usr/bin/env bash
# each_recorded.sh TEST ARGUMENT...: a test of this folder that records a program, with every Python that is tested.
set -euo pipefail
. "$(dirname "$0")/pythons.sh"
test=$(dirname "$0")/$1
shift
failed=0
for python in "${pythons[@]}"; do
  echo "== $python"
  /usr/bin/python3 "$test" "$@" $python || failed=1
done
exit $failed
