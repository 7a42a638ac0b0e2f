# Python: subprocesses, threads, a fork, an abrupt end.
command -v python3 >/dev/null || skip "no python3 here"
same python3 -c 'print("hello"); import sys; sys.exit(5)'
same python3 -c 'import subprocess; print(subprocess.run(["echo", "child"], capture_output=True).stdout)'
same python3 -c 'import os, threading; t = threading.Thread(target=print, args=("thread",)); t.start(); t.join(); os._exit(6)'
same python3 -c 'import os; pid = os.fork(); os._exit(3) if pid == 0 else print(os.waitpid(pid, 0)[1])'
ulimit -c 0
same python3 -c 'import os; os.abort()'
