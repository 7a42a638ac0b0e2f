traces = False


def _activate_gpu_trace():
    global traces
    traces = True
