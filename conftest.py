"""What the collection of doctests leaves out where an extra is not installed."""

from importlib.util import find_spec

_T5 = (
    "agent",
    "batched_decoder",
    "beam_search",
    "fine_tuning",
    "seq2seq_model",
    "trainer",
)
_NEED_TORCH = tuple(f"agents/t5/{name}.py" for name in _T5)

collect_ignore = [f"src/wardround/{module}" for module in _NEED_TORCH if not find_spec("torch")]
