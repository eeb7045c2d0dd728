"""Finds values in a reply that belong to points the question did not ask about."""

from wardround.people.clarifying.hidden import hidden, tokens
from wardround.people.clarifying.model import Choice, Located, Refused, Secret
from wardround.people.clarifying.names import plain_words
from wardround.people.clarifying.redaction import redacted_fragments

_LONG = 4


def leaked_values(
    text: str, choice: Choice | None, question: str, secret: Secret
) -> tuple[str, ...]:
    """Returns values of the gold in a reply that neither the choice nor the talk contains.

    Empty for a simulator that does not choose, since what it may say is unknown.

    >>> gold = ("SELECT 1 WHERE age > 80 AND drug = 'Heparin' LIMIT 5",)
    >>> secret = Secret("How many old ones?", "", gold, ())
    >>> leaked_values("Older than 80, on heparin, five.", Located("age > 80"), "How old?", secret)
    ('heparin',)
    """
    if choice is None:
        return ()
    known = {*tokens(secret.request), *tokens(question), *tokens(_chosen(choice, secret))}
    hidden_values = _values(secret) - known
    return tuple(token for token in tokens(text) if token in hidden_values)


def _chosen(choice: Choice, secret: Secret) -> str:
    if isinstance(choice, Refused):
        return ""
    details = " ".join(redacted_fragments(choice, secret))
    if isinstance(choice, Located):
        return details
    return " ".join((choice.ambiguity.term, choice.ambiguity.meaning, details))


def _values(secret: Secret) -> set[str]:
    """Returns the gold's numbers and the informative words of its string literals."""
    numbers = {token for gold in secret.gold for token in tokens(gold) if token[0].isdigit()}
    words = {word for word in hidden(secret).values if len(word) >= _LONG} - plain_words()
    return (numbers | words) - {"0", "1"}
