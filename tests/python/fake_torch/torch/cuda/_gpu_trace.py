from torch._utils import CallbackRegistry

MemoryAllocationCallbacks = CallbackRegistry()
MemoryDeallocationCallbacks = CallbackRegistry()


def register_callback_for_memory_allocation(callback):
    MemoryAllocationCallbacks.callbacks.append(callback)


def register_callback_for_memory_deallocation(callback):
    MemoryDeallocationCallbacks.callbacks.append(callback)
