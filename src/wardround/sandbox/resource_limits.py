"""Operating system limits of this process: memory, processor time, file sizes."""

import resource
from collections.abc import Mapping

_STATISTICS = "/proc/self/statm"
# Columns of that file, in pages.
_ADDRESS_SPACE, _DATA = 0, 5


def set_soft_limit(which: int, most: int) -> None:
    """Set a soft limit, which this process can raise again."""
    _, hard = resource.getrlimit(which)
    resource.setrlimit(which, (most, hard))


def set_hard_limits(limits: Mapping[int, tuple[int, int]]) -> None:
    """Set soft and hard limits irrevocably, never above the existing ones."""
    for which, (soft, most) in limits.items():
        _, hard = resource.getrlimit(which)
        if hard != resource.RLIM_INFINITY:
            soft, most = min(soft, hard), min(most, hard)
        resource.setrlimit(which, (soft, most))


def address_space_bytes() -> int:
    """The address space of this process in bytes; 0 if the system does not report it."""
    return _pages(_ADDRESS_SPACE) * resource.getpagesize()


def data_bytes() -> int:
    """The private memory of this process in bytes; 0 if the system does not report it."""
    return _pages(_DATA) * resource.getpagesize()


def _pages(column: int) -> int:
    try:
        with open(_STATISTICS) as file:  # noqa: PTH123 - every process of a database begins here
            return int(file.read().split()[column])
    except FileNotFoundError:
        return 0
