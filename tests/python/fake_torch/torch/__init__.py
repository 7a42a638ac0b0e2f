"""As much of PyTorch as the hook of `record --modules` and `--allocations` sees: calls of modules and the hooks around
them, and a caching allocator with its listeners."""

from . import _C, compiler, cuda, nn  # noqa: F401
