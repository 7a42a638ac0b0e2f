# A capture that waits for no line needs nothing; one that cannot be read, or is of an older schema, is told apart.
recorded=$(cd "$(dirname "${BASH_SOURCE[0]}")/../fixtures/recorded" && pwd)
"$COALESCOPE" record -o x.coal -- true 2>/dev/null
"$COALESCOPE" resolve x.coal 2>err || fail "status $?: $(cat err)"
grep -q 'no instruction of x.coal waits' err || fail "$(cat err)"
refused 3 'there is no such file' resolve absent.coal
refused 2 'FILE' resolve
before=$(cksum <"$recorded/torch.coal")
"$COALESCOPE" resolve "$recorded/torch.coal" 2>err
[ "$(cksum <"$recorded/torch.coal")" = "$before" ] || fail "a capture of an older schema was changed"
