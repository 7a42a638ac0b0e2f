#!/usr/bin/env bash
# each_python.sh SCRIPT [ARGUMENT...]: runs the script with every Python that is tested.
set -euo pipefail
. "$(dirname "$0")/pythons.sh"
failed=0
for python in "${pythons[@]}"; do
  echo "== $python"
  $python "$@" || failed=1
done
exit $failed
