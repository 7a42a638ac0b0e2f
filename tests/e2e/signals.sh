# A program that dies by a signal makes coalescope die by the same one, and only the program may leave a core file.
ulimit -c 0
for signal in SEGV TERM KILL ABRT INT HUP; do
  same sh -c "echo before; kill -$signal \$\$"
done
