"""Calls go through the functions that PyTorch has for them, and hooks are called when PyTorch calls them."""

_pre_hooks, _hooks = [], []


class _Handle:
    def __init__(self, hooks, hook):
        self.hooks, self.hook = hooks, hook

    def remove(self):
        self.hooks.remove(self.hook)


def register_module_forward_pre_hook(hook):
    _pre_hooks.append(hook)
    return _Handle(_pre_hooks, hook)


def register_module_forward_hook(hook, *, with_kwargs=False, always_call=False):
    assert always_call
    _hooks.append(hook)
    return _Handle(_hooks, hook)


class Module:
    def __init__(self):
        self.__dict__["_modules"] = {}

    def __setattr__(self, name, value):
        if isinstance(value, Module):
            self._modules[name] = value
        object.__setattr__(self, name, value)

    def named_modules(self, memo=None, prefix="", remove_duplicate=True):
        memo = set() if memo is None else memo
        if self in memo:
            return
        memo.add(self)
        yield prefix, self
        for name, module in self._modules.items():
            yield from module.named_modules(memo, prefix + ("." if prefix else "") + name)

    def __call__(self, *arguments):
        return self._wrapped_call_impl(*arguments)

    def _wrapped_call_impl(self, *arguments):
        return self._call_impl(*arguments)

    def _call_impl(self, *arguments):
        result, called = None, False
        try:
            for hook in _pre_hooks:
                assert hook(self, arguments) is None
            result = self.forward(*arguments)
            called = True
            for hook in _hooks:
                assert hook(self, arguments, result) is None
            return result
        except Exception:
            for hook in [] if called else _hooks:
                hook(self, arguments, result)
            raise
