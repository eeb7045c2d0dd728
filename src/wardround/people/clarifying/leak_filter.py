"""Final check of a reply before the agent gets it: no leaks, no values that were not asked for."""

from collections.abc import Collection

from wardround.people.clarifying.hidden import hidden, tokens
from wardround.people.clarifying.leaks import leaks, repaired
from wardround.people.clarifying.names import plain_words
from wardround.people.clarifying.redaction import redacted_fragments
from wardround.people.clarifying.secret import Answer, Choice, Located, Refused, Secret
from wardround.people.clarifying.template_replies import is_refusal, refusal, reply_to


def checked_answer(
    reply: str,
    choice: Choice | None,
    question: str,
    secret: Secret,
    seen: Collection[str],
    seed: int = 0,
) -> Answer:
    """Returns an answer without leaks.

    A leaking reply is rewritten in plain words; a reply with values that were not asked for is
    dropped. If nothing is left, the choice is answered from a template, and if that leaks too or
    there is no choice, the question is refused.

    Args:
        reply: The simulator's reply.
        choice: The chosen action; None for a simulator that does not choose.
        question: The agent's question.
        secret: The user's secret.
        seen: Identifiers that the agent knows, in lower case.
        seed: The seed of template wordings.
    """
    leaked = leaked_values(reply, choice, question, secret)
    leaked_names = (*leaks(reply, secret, seen), *leaked)
    text = "" if leaked else repaired(reply, secret, seen) if leaked_names else reply.strip()
    if not text and choice is not None:
        text = repaired(reply_to(choice, question, secret, seed), secret, seen)
    text = text or refusal(question, seed)
    return Answer(text, choice, leaked_names, is_refusal(text))


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
