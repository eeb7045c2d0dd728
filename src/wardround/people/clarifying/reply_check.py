"""Final check of a reply before the agent gets it."""

from collections.abc import Collection

from wardround.people.clarifying.leak_filter import leaked_values
from wardround.people.clarifying.leaks import leaks, repaired
from wardround.people.clarifying.model import Answer, Choice, Secret
from wardround.people.clarifying.template_replies import refusal, reply_to


def checked_answer(
    reply: str, choice: Choice | None, question: str, secret: Secret, seen: Collection[str]
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
    """
    leaked = leaked_values(reply, choice, question, secret)
    found = (*leaks(reply, secret, seen), *leaked)
    text = "" if leaked else repaired(reply, secret, seen) if found else reply.strip()
    if not text and choice is not None:
        text = repaired(reply_to(choice, question, secret), secret, seen)
    return Answer(text or refusal(question), choice, found)
