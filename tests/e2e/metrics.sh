# `coalescope metrics` asks CUPTI's own host library, without a GPU.
unset COALESCOPE_CUPTI_PATH
"$COALESCOPE" metrics >all 2>err || skip "this machine has no CUPTI: $(cat err)"
for chip in TU102 GA100 AD102 GH100 GB100 GB202; do
  grep -q "^$chip  *[0-9]* metrics; passes: traffic 1, hits 1, bytes 1, in" all || fail "$chip: $(cat all)"
done
! grep -q '^GV100' all || fail "chips before Turing are listed: $(cat all)"
"$COALESCOPE" metrics --chip TU102 >one 2>err || fail "$(cat err)"
grep -q '^bytes  *global_load_bytes  *smsp__sass_data_bytes_mem_global_op_ld.sum$' one || fail "$(cat one)"
grep -q '^bytes  *tma_instructions  *missing: the TMA came with Hopper' one || fail "$(cat one)"
[ "$(grep -c missing one)" -eq 4 ] || fail "another count is missing: $(cat one)"
refused 2 "did you mean 'GH100'" metrics --chip GH101

# Without CUPTI it says so.
LD_PRELOAD=$HIDE_CUPTI "$COALESCOPE" metrics >none 2>err
[ $? -eq 1 ] && grep -q 'neither libcupti' err || fail "$(cat none err)"
