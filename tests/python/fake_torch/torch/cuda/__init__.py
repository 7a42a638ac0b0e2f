"""Begins CUDA when it is first used, and gives blocks of segments to tensors. `native` is set by the program: the
library libc10_cuda.so, which asks for segments as PyTorch's does."""

import ctypes

import torch

native = None
_SEGMENT = 2 << 20
_queued, _initialized = [], False
_free, _next, _end = [], 0, 0


def _lazy_call(callback):
    if _initialized:
        callback()
    else:
        _queued.append(callback)


def _lazy_init(begin):
    global _initialized
    begin()
    _initialized = True
    for callback in _queued:
        callback()


def take(size):
    global _next, _end
    if _next + size > _end:
        segment = ctypes.c_ulonglong()
        assert native.c10_segment(ctypes.byref(segment), ctypes.c_size_t(_SEGMENT)) == 0
        _next, _end = segment.value, segment.value + _SEGMENT
    block = _free.pop() if _free else _next
    if block == _next:
        _next += size
    if torch._C.traces:
        from . import _gpu_trace

        _gpu_trace.MemoryAllocationCallbacks.fire_callbacks(block)
    return block


def give_back(block):
    if torch._C.traces:
        from . import _gpu_trace

        _gpu_trace.MemoryDeallocationCallbacks.fire_callbacks(block)
    _free.append(block)
