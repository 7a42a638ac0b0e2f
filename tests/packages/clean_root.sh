# clean_root.sh SOURCE BUILD: makes each package of a build and uses it in a root of its own.
set -u
source=$1 build=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "failed: $*" >&2; exit 1; }
skip() { echo "skipped: $*" >&2; exit 77; }

as_root=()
[ "$(id -u)" -eq 0 ] || as_root=(unshare --map-root-user)
chroot=$(PATH=$PATH:/usr/sbin command -v chroot) || skip "there is no chroot"
"${as_root[@]}" unshare --mount true 2>/dev/null || skip "no root of its own can be made here"

"$source/scripts/package" all "$work/packages" "$build" >"$work/made" 2>"$work/err" || fail "$(cat "$work/err")"
[ "$(wc -l <"$work/made")" -eq 3 ] || fail "not three packages: $(cat "$work/made")"
deb=$(grep '\.deb$' "$work/made") tar=$(grep '\.tar\.gz$' "$work/made") wheel=$(grep '\.whl$' "$work/made")

# new_root NAME: the C library, its loader and a shell.
new_root() {
  root=$work/$1
  mkdir -p "$root"/{bin,lib64,lib/x86_64-linux-gnu,proc,tmp,data}
  cp -L /bin/sh "$root/bin/sh"
  cp -L /lib64/ld-linux-x86-64.so.2 "$root/lib64"
  for library in libc.so.6 libm.so.6; do cp -L "/lib/x86_64-linux-gnu/$library" "$root/lib/x86_64-linux-gnu"; done
  cp "$source/tests/fixtures/recorded/showcase.coal" "$root/data"
}

# inside COMMAND: in that root, with /proc.
inside() {
  "${as_root[@]}" unshare --mount sh -c \
    'mount --rbind /proc "$0/proc" && chroot=$1 && shift && exec env -i PATH=/bin HOME=/tmp "$chroot" "$0" "$@"' \
    "$root" "$chroot" "$@"
}

# works PLACE: what is there reports, records, and finds its parts.
works() {
  inside "$1" --version >"$work/out" 2>&1 || fail "$1 --version: $(cat "$work/out")"
  ! grep -v '^coalescope_kernels' "$work/out" | grep 'not installed' || fail "$1 lacks parts"
  inside "$1" report /data/showcase.coal --limit 1 >"$work/out" 2>&1 || fail "$1 report: $(cat "$work/out")"
  grep -q T01 "$work/out" || fail "$1 reports no finding: $(cat "$work/out")"
  inside "$1" doctor --json >"$work/out" 2>&1
  grep -A1 '"check": "recorder"' "$work/out" | grep -q '"state": "ok"' || fail "$1 doctor: $(cat "$work/out")"
  grep -q '"text": "the process that asked' "$work/out" && fail "$1: its probe does not run: $(cat "$work/out")"
  inside "$1" record -o /tmp/x.coal -- /bin/sh -c 'exit 7' >"$work/out" 2>&1
  [ $? -eq 7 ] && [ -s "$root/tmp/x.coal" ] || fail "$1 record: $(cat "$work/out")"
}

new_root of_tar
mkdir "$root/opt"
tar -C "$root/opt" -xzf "$tar" || fail "$tar cannot be unpacked"
mv "$root"/opt/coalescope-* "$root/opt/moved"
works /opt/moved/bin/coalescope
for page in man/man1/coalescope.1 bash-completion/completions/coalescope zsh/site-functions/_coalescope \
  fish/vendor_completions.d/coalescope.fish doc/coalescope/copyright; do
  [ -s "$root/opt/moved/share/$page" ] || fail "$tar has no $page"
done

new_root of_deb
dpkg-deb -x "$deb" "$root" || fail "$deb cannot be unpacked"
works /usr/bin/coalescope
needs=$(dpkg-deb -f "$deb" Depends)
case $needs in libc6*) ;; *) fail "$deb needs '$needs', and not the C library first" ;; esac
case $needs in *,*) fail "$deb needs more than the C library: $needs" ;; esac

new_root of_wheel
case $wheel in *-py3-none-manylinux_2_[0-9]*_x86_64.whl) ;; *) fail "another tag: $wheel" ;; esac
python3 - "$wheel" <<'PYTHON' || fail "$wheel and its record differ"
import base64, csv, hashlib, io, sys, zipfile
wheel = zipfile.ZipFile(sys.argv[1])
record = [n for n in wheel.namelist() if n.endswith("/RECORD")][0]
rows = {row[0]: row[1:] for row in csv.reader(io.StringIO(wheel.read(record).decode()))}
assert set(rows) == set(wheel.namelist()), set(rows) ^ set(wheel.namelist())
for name, (digest, size) in rows.items():
    if name == record: continue
    content = wheel.read(name)
    made = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    assert digest == "sha256=" + made and int(size) == len(content), name
PYTHON
if python3 -m pip --version >/dev/null 2>&1; then
  python3 -m pip install -q --no-index --no-deps --no-warn-script-location --root-user-action=ignore \
    --prefix "$root/venv" "$wheel" >"$work/out" 2>&1 || fail "pip: $(cat "$work/out")"
  works /venv/bin/coalescope
  # The tag names the C library that the binaries need, and no newer one.
  needed=$(find "$root/venv" -type f -exec objdump -T {} + 2>/dev/null | grep -o 'GLIBC_2\.[0-9]*' | sort -Vu | tail -n 1)
  case $wheel in *manylinux_2_"${needed#GLIBC_2.}"_*) ;; *) fail "$wheel needs $needed" ;; esac
fi
echo "three packages work in clean roots: $(basename "$wheel")"
