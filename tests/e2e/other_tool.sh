# Where another tool holds the driver's one place, the program runs and the capture says why it is empty.
CUDA_INJECTION64_PATH=/opt/tool.so "$COALESCOPE" record -o x.coal -- sh -c 'echo "$CUDA_INJECTION64_PATH"' >out 2>err
[ $? -eq 0 ] || fail "status $?"
[ "$(cat out)" = /opt/tool.so ] || fail "the other tool lost its place: $(cat out)"
grep -q 'coalescope: warning: wrote x.coal' err || fail "$(cat err)"
"$COALESCOPE" report x.coal | grep -q '/opt/tool.so' || fail "the report does not name the other tool"
# A variable that is empty names no tool.
CUDA_INJECTION64_PATH= "$COALESCOPE" record -o x.coal -- sh -c 'echo "$CUDA_INJECTION64_PATH"' >out 2>err
grep -q '/libcoalescope_inject.so$' out || fail "the recorder is not named: $(cat out)"
