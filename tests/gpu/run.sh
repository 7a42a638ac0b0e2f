# run.sh TEST: runs one of the tests in an empty folder, which goes away unless it failed. With $KEPT, such a folder
# is made there.
gpu=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d ${KEPT:+"$KEPT/$1.XXXXXX"}) && cd "$folder" || exit 1
bash -c '. "$0/../e2e/library.sh"; . "$0/library.sh"; . "$0/$1.sh"' "$gpu" "$1"
status=$?
if [ $status -eq 0 ] || [ $status -eq 77 ]; then
  rm -rf "$folder"
else
  echo "its files are in $folder" >&2
fi
exit $status
