#!/usr/bin/env bash
# each_recorded.sh COALESCOPE STANDIN PROBE FOLDER: recorded_test.py with every Python that is tested.
set -euo pipefail
. "$(dirname "$0")/pythons.sh"
failed=0
for python in "${pythons[@]}"; do
  echo "== $python"
  /usr/bin/python3 "$(dirname "$0")/recorded_test.py" "$@" $python || failed=1
done
exit $failed
