# What is written replaces reports by reports and captures by captures, and nothing else unless forced. Links, devices and
# pipes are written as a shell's > would.
capture=$(cd "$(dirname "${BASH_SOURCE[0]}")/../fixtures/recorded" && pwd)/showcase.coal
formats=(--json --markdown --sarif '--csv findings' '--csv kernels' '--csv lines' '--csv transfers' '--by kernel' --verbose '')

# Each format knows itself and every other one.
"$COALESCOPE" report "$capture" --html page 2>err || fail "$(cat err)"
for format in "${formats[@]}" "${formats[@]}"; do
  "$COALESCOPE" report "$capture" $format -o page 2>err || fail "$format over a report: $(cat err)"
done
"$COALESCOPE" report "$capture" --html page 2>err || fail "a page over a report: $(cat err)"
"$COALESCOPE" report "$capture" --html page 2>err || fail "a page over a page: $(cat err)"
head -n 1 page | grep -qi doctype || fail "the page was not written"

chmod 604 page
"$COALESCOPE" report "$capture" --html page 2>/dev/null
[ "$(stat -c %a page)" = 604 ] || fail "the mode was not kept: $(stat -c %a page)"
(umask 027 && "$COALESCOPE" report "$capture" --json -o new.json 2>/dev/null)
[ "$(stat -c %a new.json)" = 640 ] || fail "a new file has the mode $(stat -c %a new.json)"

echo 'my thesis' >thesis
for format in '--html thesis' '--json -o thesis' '-o thesis'; do
  refused 2 '--force' report "$capture" $format
done
refused 2 'is not a capture' merge -o thesis "$capture"
refused 2 'it is a report, not a capture' merge -o page "$capture"
cp "$capture" mine.coal
refused 2 'it is a capture, not a report' report "$capture" --html mine.coal
[ "$(cat thesis)" = 'my thesis' ] && cmp -s "$capture" mine.coal || fail "a refused command wrote"
"$COALESCOPE" report "$capture" --html thesis --force 2>err || fail "--force: $(cat err)"
"$COALESCOPE" merge -o thesis --force "$capture" 2>err || fail "merge --force: $(cat err)"
"$COALESCOPE" report thesis >/dev/null || fail "--force left no capture"

mkdir real
ln -s real/page link
"$COALESCOPE" report "$capture" --html link 2>err || fail "a link to nothing: $(cat err)"
"$COALESCOPE" report "$capture" --html link 2>err || fail "a link: $(cat err)"
[ -L link ] && [ -s real/page ] || fail "the link was replaced"
ln -s real/merged.coal link.coal
"$COALESCOPE" merge -o link.coal "$capture" 2>err || fail "a link: $(cat err)"
[ -L link.coal ] && [ -s real/merged.coal ] || fail "the link to a capture was replaced"

"$COALESCOPE" report "$capture" --json >expected.json
"$COALESCOPE" report "$capture" --json -o /dev/null 2>err && [ -c /dev/null ] || fail "/dev/null: $(cat err)"
"$COALESCOPE" report "$capture" --json -o /dev/stdout 2>err | cmp - expected.json || fail "/dev/stdout in a pipe"
echo before >log
"$COALESCOPE" report "$capture" --json -o /dev/stdout >>log 2>err || fail "/dev/stdout in a file: $(cat err)"
{ echo before && cat expected.json; } | cmp - log || fail "the log was not added to"
mkfifo pipe
cat pipe >piped &
"$COALESCOPE" report "$capture" --json -o pipe 2>err || fail "a pipe: $(cat err)"
wait $!
[ -p pipe ] && cmp -s piped expected.json || fail "the pipe was replaced, or got something else"
cat pipe >piped.coal &
"$COALESCOPE" merge -o pipe "$capture" 2>err || fail "a capture into a pipe: $(cat err)"
wait $!
"$COALESCOPE" report piped.coal >/dev/null || fail "what came through the pipe is no capture"

cp page before
(ulimit -f 8 && trap '' XFSZ && "$COALESCOPE" report "$capture" --html page 2>err)
[ $? -eq 2 ] && cmp -s page before || fail "a failing write changed the old file: $(cat err)"
[ -z "$(find . -name '.*' -type f)" ] || fail "drafts were left: $(ls -A)"
