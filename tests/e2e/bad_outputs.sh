# Places where no capture can be written are refused before the program starts.
echo text >file
for place in file/x.coal absent/x.coal /proc/x.coal /sys/x.coal; do
  refused 2 'cannot write' record -o "$place" -- touch started
done
refused 2 'is a folder' record -o . -- touch started
[ ! -e started ] || fail "the program was started"
