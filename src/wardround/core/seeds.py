"""Seeds of trials, derived from the run's seed, the task and the trial number."""

from hashlib import sha256


def derive_seed(run_seed: int, *parts: str | int) -> int:
    """Returns a 63-bit seed that depends on its arguments only.

    >>> derive_seed(0, "task-1", 0) == derive_seed(0, "task-1", 0)
    True
    >>> derive_seed(0, "task-1", 0) == derive_seed(0, "task-1", 1)
    False
    """
    text = "\x1f".join([str(run_seed), *map(str, parts)])
    return int.from_bytes(sha256(text.encode()).digest()[:8]) >> 1
