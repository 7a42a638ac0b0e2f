# The commands of docs/ci.md that need no GPU run as they stand there, and so does the file of docs/check.md.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cp "$root/tests/fixtures/recorded/showcase.coal" baseline.coal
cp baseline.coal capture.coal
mkdir bin .git && ln -s "$COALESCOPE" bin/coalescope
sed -n '/^<!-- tested -->$/,/^```$/p' "$root/docs/ci.md" | grep -v '^```\|^<!--' >commands
[ "$(wc -l <commands)" -ge 6 ] || fail "the commands were not found: $(cat commands)"
PATH=$PWD/bin:$PATH sh -e commands >out 2>err || fail "status $? of the commands: $(cat err)"
for made in coalescope.xml coalescope.sarif summary.md coalescope.html; do [ -s $made ] || fail "no $made was made"; done
mkdir ci && cp baseline.coal ci
sed -n '/^```toml$/,/^```$/p' "$root/docs/check.md" | grep -v '^```' >.coalescope.toml
[ -s .coalescope.toml ] || fail "the file was not found"
"$COALESCOPE" check capture.coal >text 2>err
case $? in
0 | 1) ;;
*) fail "the file of docs/check.md: $(cat text err)" ;;
esac
grep -q 'matches nothing any more' text || fail "the suppression was not read: $(cat text)"
