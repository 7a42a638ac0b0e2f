# The gate in a shell script: a GPT that is as its baseline passes, and one with a planted regression does not.
has_module torch
real=$here/../../bench/real
cp "$real"/{gpt,steady}.py .
# The baseline adds a tensor that lies as it is read.
sed 's/x + skew\.t()/x + skew/; s/torch\.randn(4, WIDTH, LENGTH)/torch.randn(4, LENGTH, WIDTH)/' gpt.py >good.py
sed 's/^VOCABULARY\(.*\) = 8192,/VOCABULARY\1 = 8704,/' good.py >larger.py
for changed in good larger; do ! cmp -s gpt.py $changed.py || fail "nothing was planted in $changed.py"; done

# gate BASELINE PROGRAM: as a job would, with the status of the check.
cat >gate <<'SH'
#!/bin/sh
set -e
"$COALESCOPE" record --force -o capture.coal python3 "$2" 50 >/dev/null
"$COALESCOPE" check --rule G01=error --baseline "$1" --junit --force -o gate.xml capture.coal
SH
"$COALESCOPE" record -o baseline.coal python3 good.py 50 >/dev/null 2>err || fail "status $?: $(tail -n 5 err)"

# what COMMAND: its status, and why.
why() { "$COALESCOPE" diff baseline.coal capture.coal | head -n 12; }
sh gate baseline.coal good.py 2>err || fail "status $? of the same program: $(tail -n 5 err; why)"
# The rows of the largest tensors are 6 % longer.
sh gate baseline.coal larger.py 2>err
[ $? -eq 1 ] && grep -q 'regression' gate.xml || fail "6 % more passed: $(tail -n 5 err; why)"
# Every block adds a transposed tensor.
sh gate baseline.coal gpt.py 2>err
[ $? -eq 1 ] || fail "a transposed operand passed: $(tail -n 5 err; why)"
"$COALESCOPE" diff baseline.coal capture.coal >text
grep -q 'elementwise' text || fail "the kernel is not named: $(head -n 12 text)"
