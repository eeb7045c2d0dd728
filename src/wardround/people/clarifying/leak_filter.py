"""Finds what a reply tells of points that were not asked about."""

from wardround.people.clarifying.hidden import hidden, tokens
from wardround.people.clarifying.model import Choice, Located, Refused, Secret
from wardround.people.clarifying.names import plain_words
from wardround.people.clarifying.redaction import told_by

_LONG = 4


def strays(text: str, choice: Choice | None, question: str, secret: Secret) -> tuple[str, ...]:
    """Numbers and texts of the gold that the chosen point does not hold and nobody has said.

    What a simulator that does not choose may say is not known, so that nothing is found.

    >>> gold = ("SELECT 1 WHERE age > 80 AND drug = 'Heparin' LIMIT 5",)
    >>> secret = Secret("How many old ones?", "", gold, ())
    >>> strays("Older than 80, on heparin, five.", Located("age > 80"), "How old?", secret)
    ('heparin',)
    """
    if choice is None:
        return ()
    said = {*tokens(secret.request), *tokens(question), *tokens(_chosen(choice, secret))}
    kept = _values(secret) - said
    return tuple(token for token in tokens(text) if token in kept)


def _chosen(choice: Choice, secret: Secret) -> str:
    if isinstance(choice, Refused):
        return ""
    details = " ".join(told_by(choice, secret))
    if isinstance(choice, Located):
        return details
    return " ".join((choice.ambiguity.term, choice.ambiguity.meaning, details))


def _values(secret: Secret) -> set[str]:
    """The numbers of the gold, and the words of its texts that tell something."""
    numbers = {token for gold in secret.gold for token in tokens(gold) if token[0].isdigit()}
    words = {word for word in hidden(secret).values if len(word) >= _LONG} - plain_words()
    return (numbers | words) - {"0", "1"}
