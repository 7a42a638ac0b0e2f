# The file of docs/check.md is one that coalescope reads. The commands of the documents are tests/build/commands.py's.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cp "$root/tests/fixtures/recorded/showcase.coal" capture.coal
mkdir .git ci && cp capture.coal ci/baseline.coal
sed -n '/^```toml$/,/^```$/p' "$root/docs/check.md" | grep -v '^```' >.coalescope.toml
[ -s .coalescope.toml ] || fail "the file was not found"
"$COALESCOPE" check capture.coal >text 2>err
case $? in
0 | 1) ;;
*) fail "the file of docs/check.md: $(cat text err)" ;;
esac
grep -q 'matches nothing any more' text || fail "the suppression was not read: $(cat text)"
