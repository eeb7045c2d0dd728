"""The points that the two requests of BIRD-Interact are worth (F.2)."""

STAGES = ("first", "second")

_CONVERSATION = {"first": (0.7, 0.5), "second": (0.3, 0.2)}
_ACTIONS = {"first": 0.7, "second": 0.3}

# What a task without a follow-up can earn is all there is to earn.
FIRST_ALONE = 0.7


def points_of(mode: str, stage: str, attempt: int) -> float:
    """The points of a submission that passes.

    In a conversation a second try is worth less; with actions every try is worth the same.

    Args:
        mode: "c", "clear" or "a".
        stage: "first" or "second".
        attempt: which try at the stage it is, from 1.

    >>> points_of("c", "first", 2), points_of("a", "first", 2)
    (0.5, 0.7)
    """
    if mode == "a":
        return _ACTIONS[stage]
    at_once, later = _CONVERSATION[stage]
    return at_once if attempt == 1 else later
