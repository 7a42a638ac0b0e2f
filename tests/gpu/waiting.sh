# Kernels and streams that wait for what the program does next: it runs as without coalescope. Waiting for them without a
# limit, before a launch or behind one, would be waiting for ever; they give up after 20 s, and the program says so.
for how in host persistent stream peers left; do
  alike "$PROGRAMS/waiting" $how
  says "$how: right"
  is 1 "SELECT count(*) > 0 FROM $(readings_of strided)"
done
