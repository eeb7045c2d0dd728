"""What the collection of doctests leaves out where an extra is not installed."""

from importlib.util import find_spec

_T5 = ("agent", "decoding", "language", "learning", "together", "training")
_NEED_TORCH = (*(f"agents/t5/{name}.py" for name in _T5), "apps/fine_tuning.py")

collect_ignore = [f"src/wardround/{module}" for module in _NEED_TORCH if not find_spec("torch")]
