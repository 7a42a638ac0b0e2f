# Sets `pythons`: a command each for the Pythons of this machine that are tested. Debian's own is always one of them;
# scripts/install_pythons brings those of other releases of Debian, which run with their own C library.
pythons=(/usr/bin/python3)
for root in "$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"/build/pythons/*; do
  loader=$root/usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2
  for python in "$root"/usr/bin/python3.*; do
    if [ -x "$python" ]; then
      pythons+=("env PYTHONHOME=$root/usr $loader --library-path $root/usr/lib/x86_64-linux-gnu $python")
    fi
  done
done
for python in "$HOME"/.pyenv/versions/3.*/bin/python3; do
  if [ -x "$python" ] && "$python" -c 'import sys; sys.exit(not (3, 9) <= sys.version_info < (3, 15))'; then
    pythons+=("$python")
  fi
done
