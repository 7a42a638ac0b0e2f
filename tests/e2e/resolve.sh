# A capture that waits for no line needs nothing; one that cannot be read, or is of an older schema, is told apart.
recorded=$(cd "$(dirname "${BASH_SOURCE[0]}")/../fixtures/recorded" && pwd)
"$COALESCOPE" record -o x.coal -- true 2>/dev/null
"$COALESCOPE" resolve x.coal 2>err || fail "status $?: $(cat err)"
grep -q 'no instruction of x.coal waits' err || fail "$(cat err)"
refused 3 'there is no such file' resolve absent.coal
refused 2 'FILE' resolve
"$COALESCOPE" record -o theirs.coal -- true 2>/dev/null
command -v sqlite3 >/dev/null || skip "no sqlite3 to add a trigger with"
sqlite3 theirs.coal "INSERT INTO process (id, pid, parent_pid, host, executable, began_ns, driver_version, clean) VALUES (1, 77, 1, 'host', '/app', 5, 13000, 0);
  INSERT INTO kernel (id, process_id, name) VALUES (1, 1, 'kernel');
  INSERT INTO instruction (id, kernel_id, module_crc, pc_offset, source_state, file, line) VALUES (1, 1, 1, 0, (SELECT id FROM source_state WHERE name = 'unresolved'), NULL, NULL);
  CREATE TRIGGER theirs AFTER INSERT ON instruction BEGIN UPDATE capture SET command = 'changed'; END"
refused 1 'it has a trigger' resolve theirs.coal
before=$(cksum <"$recorded/torch.coal")
"$COALESCOPE" resolve "$recorded/torch.coal" 2>err
[ "$(cksum <"$recorded/torch.coal")" = "$before" ] || fail "a capture of an older schema was changed"
