"""What the collection of doctests leaves out where an extra is not installed."""

from importlib.util import find_spec

_NEED_TORCH = (
    *(f"agents/t5/{name}.py" for name in ("agent", "decoding", "language", "learning", "training")),
    "apps/fine_tuning.py",
)

collect_ignore = [f"src/wardround/{module}" for module in _NEED_TORCH if not find_spec("torch")]
