# A program that uses NVTX but no CUDA behaves as ever, and so do its children. Where another tool answers NVTX, it
# stays so.
[ -x "$PROGRAMS/nvtx" ] || skip "no NVTX headers"
"$PROGRAMS/nvtx" >alone.out || fail "the program fails by itself"
"$COALESCOPE" record -o x.coal -- timeout 60 "$PROGRAMS/nvtx" >under.out 2>err || fail "status $?: $(cat err)"
# Without a tool NVTX answers the same for all levels, and no domain exists.
sed 's/^levels.*/levels differ by 1/; s/^domains.*/domains of XLA and CUB: 0, 1/' alone.out >expected
cmp expected under.out || fail "another output: $(cat under.out)"
grep -q 'no CUDA calls were recorded' err || fail "$(cat err)"
NVTX_INJECTION64_PATH=/opt/tool.so "$COALESCOPE" record -o y.coal -- sh -c 'echo "$NVTX_INJECTION64_PATH"' >out 2>err
[ "$(cat out)" = /opt/tool.so ] || fail "the other tool lost its place: $(cat out)"
