# Each CUPTI of this machine's Python packages and toolkits records as the others do.
found=$(python3 - <<'PYTHON'
import glob, os, sys, sysconfig
packages = sysconfig.get_path("purelib")
places = [packages + "/nvidia/cu13/lib", packages + "/nvidia/cuda_cupti/lib",
          packages + "/triton/backends/nvidia/lib/cupti"] + glob.glob("/usr/local/cuda-1*/targets/x86_64-linux/lib")
print("\n".join(p for p in places if glob.glob(p + "/libcupti.so.1[23]")))
PYTHON
)
tried=
[ -n "$found" ] || skip "this machine has no CUPTI in Python packages or toolkits"
for folder in $found; do
  rm -f same.coal
  COALESCOPE_CUPTI_PATH=$folder "$COALESCOPE" record --budget none -o same.coal -- "$PROGRAMS/driver_only" \
    "$PROGRAMS/strided.fatbin" "$PROGRAMS/strided.ptx" >out 2>err || fail "$folder: $(cat err)"
  case $(sql 'SELECT cupti_path FROM process') in "$folder"/*) ;; *) fail "$folder was not taken: $(sql 'SELECT cupti_path FROM process')" ;; esac
  strided_is_exact
  is 0 "SELECT count(*) FROM diagnostic WHERE severity > 0"
  tried+=" $(sql 'SELECT cupti_version FROM process') ($folder)"
done
case $tried in *' 2'[4-9]*) ;; *) tried+='; no CUPTI of CUDA 12 here' ;; esac
echo "note: recorded with CUPTI$tried"
