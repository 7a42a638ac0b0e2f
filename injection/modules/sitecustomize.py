"""Tells the injected library what only Python knows of PyTorch: which torch.nn.Module a thread is inside of
(`coalescope record --modules`), and what its caching allocator gives to tensors (`--allocations pytorch`).

Python imports this file when it starts, because its folder comes first in PYTHONPATH. Order of events:
  1. the folder goes out of PYTHONPATH and sys.path again: neither the program nor its children see it
  2. the program's own sitecustomize is imported, if there is one
  3. when PyTorch imports torch.nn.modules.module, its global hooks are registered
  4. each call of a module enters it before, and leaves it afterwards, also by an exception
  5. when PyTorch has begun to use CUDA, it calls the library for each block of memory, without a function here

Nothing here may change the program: what fails is left out. Python before 3.9 imports the file, too, and does
no more than the first two steps.
"""

import os
import sys

# Modules that are made while the program runs, such as those of functional wrappers, belong to no tree.
_MOST_SEARCHES = 16


def _withdraw():
    folder = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [path for path in sys.path if path != folder]
    left = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path != folder]
    if left:
        os.environ["PYTHONPATH"] = os.pathsep.join(left)
    else:
        os.environ.pop("PYTHONPATH", None)


def _functions(names, argument):
    """Of the injected library, once CUDA has loaded it. Nothing here ever loads it."""
    import ctypes

    # With the interpreter's lock: the calls take less time than to give it up.
    library = ctypes.PyDLL(os.environ["COALESCOPE_LIBRARY"], mode=os.RTLD_NOLOAD | os.RTLD_NOW)
    functions = [getattr(library, "coalescope_" + name) for name in names]
    for function in functions:
        function.argtypes, function.restype = [getattr(ctypes, argument)], None
    return functions


class _Tree(object):
    """The names of all modules below one that was called by the program."""

    def __init__(self, root, base):
        import weakref

        self.root = weakref.ref(root)
        self.base = base
        self.searches = 0
        self.search(root)

    def search(self, root):
        self.searches += 1
        name = type(root).__name__
        self.names = {
            id(module): name + "." + path if path else name for path, module in self.base.named_modules(root)
        }

    def name(self, module, caller):
        found = self.names.get(id(module))
        if found is None and self.searches < _MOST_SEARCHES:
            self.search(self.root())
            found = self.names.get(id(module))
        return found or caller + "." + type(module).__name__


class _Hooks(object):
    """What PyTorch calls before and after each module's forward()."""

    def __init__(self, torch, base):
        import threading

        self.torch = torch
        self.base = base  # torch.nn.Module
        self.enter = self.leave = None
        self.own = threading.local()
        self.trees = {}  # by the id of their root

    def tree_of(self, root):
        tree = self.trees.get(id(root))
        if tree is None or tree.root() is not root:
            if len(self.trees) > 1000:
                self.trees.clear()
            tree = self.trees[id(root)] = _Tree(root, self.base)
        return tree

    def before(self, module, *_):
        try:
            # While torch.compile looks at the program this is all that it sees of the hook.
            if self.torch.compiler.is_compiling():
                return
            if self.enter is None:
                (self.leave,) = _functions(["leave_modules"], "c_uint")
                (self.enter,) = _functions(["enter_module"], "c_char_p")
            entered = self.own.__dict__.setdefault("entered", [])
            if not entered:
                self.own.tree = self.tree_of(module)
                name = self.own.tree.name(module, "")
            else:
                name = self.own.tree.name(module, entered[-1][1])
            self.enter(name.encode("utf-8", "replace"))
            entered.append((id(module), name))
        except Exception:
            pass

    def after(self, module, *_):
        try:
            if self.torch.compiler.is_compiling():
                return
            entered = self.own.entered
            depth = len(entered) - 1
            while entered[depth][0] != id(module):
                depth -= 1
            del entered[depth:]
            self.leave(depth)
        except Exception:
            pass


def _watch_modules(module):
    hooks = _Hooks(sys.modules["torch"], module.Module)
    before = module.register_module_forward_pre_hook(hooks.before)
    try:
        module.register_module_forward_hook(hooks.after, always_call=True)
    except Exception:  # PyTorch before 2.1: a module that is left by an exception would stay entered
        before.remove()
        raise


def _watch_blocks(cuda):
    def begin():
        try:
            from torch.cuda import _gpu_trace

            taken, given_back = _functions(["torch_block_taken", "torch_block_given_back"], "c_ulonglong")
            _gpu_trace.register_callback_for_memory_allocation(taken)
            _gpu_trace.register_callback_for_memory_deallocation(given_back)
            sys.modules["torch"]._C._activate_gpu_trace()
        except Exception:
            pass

    cuda._lazy_call(begin)  # once PyTorch has begun to use CUDA


# What is asked for, the module whose import it waits for, and what is done then.
_WATCHES = (
    ("COALESCOPE_MODULES", "torch.nn.modules.module", _watch_modules),
    ("COALESCOPE_ALLOCATIONS", "torch.cuda", _watch_blocks),
)


class _Finder(object):
    """Waits for imports, and is gone with the last of them."""

    def __init__(self, awaited):
        self.awaited = awaited

    def find_spec(self, name, path=None, target=None):
        if name not in self.awaited:
            return None
        try:
            watch = self.awaited.pop(name)
            if not self.awaited:
                sys.meta_path.remove(self)
            return self.watched(name, path, target, watch)
        except Exception:
            return None

    def watched(self, name, path, target, watch):
        others = [finder for finder in sys.meta_path if finder is not self]
        specs = (finder.find_spec(name, path, target) for finder in others)
        spec = next(spec for spec in specs if spec is not None)
        loader = spec.loader

        def exec_module(module):
            del loader.exec_module  # it is the loader's own again
            loader.exec_module(module)
            try:
                watch(module)
            except Exception:
                pass

        loader.exec_module = exec_module
        return spec


def _begin():
    try:
        _withdraw()
        awaited = {name: watch for setting, name, watch in _WATCHES if os.environ.get(setting)}
        if sys.version_info >= (3, 9) and os.environ.get("COALESCOPE_LIBRARY") and awaited:
            sys.meta_path.insert(0, _Finder(awaited))
    except Exception:
        pass


_begin()
# Its errors are its own, and so is that there is none.
sys.modules.pop("sitecustomize", None)
import sitecustomize  # noqa: E402,F401
