"""As much of PyTorch as the hook of `record --modules` sees: calls of modules, and the hooks around them."""

from . import compiler, nn  # noqa: F401
