# The exit status is the program's own.
printf '#!/bin/sh\necho out; echo err >&2; exit 3\n' >script
printf 'echo no first line; exit 4\n' >plain_script
chmod +x script plain_script
same true
same false
same sh -c 'exit 42'
same sh -c 'exit 255'
same ./script
same sh ./plain_script
