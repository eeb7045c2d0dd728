"""What the collection of doctests leaves out where an extra is not installed."""

from importlib.util import find_spec

_T5 = ("decoder", "seq2seq_model", "trainer", "training_run")
_NEED_TORCH = tuple(f"agents/t5/{name}.py" for name in _T5)

collect_ignore = [f"src/wardround/{module}" for module in _NEED_TORCH if not find_spec("torch")]
