"""The last look at a reply before the agent hears it."""

from collections.abc import Collection

from wardround.people.clarifying.leak_filter import strays
from wardround.people.clarifying.leaks import leaks, repaired
from wardround.people.clarifying.model import Answer, Choice, Secret
from wardround.people.clarifying.template_replies import refusal, reply_to


def checked(
    reply: str, choice: Choice | None, question: str, secret: Secret, seen: Collection[str]
) -> Answer:
    """An answer without leaks.

    A reply that leaks is put into plain words, and one that tells of points that were not
    asked about is dropped. Where nothing is left of it, the choice is
    answered without a model, and where that leaks too or nothing was chosen it is refused.

    Args:
        reply: What the simulator would say.
        choice: What it took the question for; None where it does not choose.
        question: What the agent asked.
        secret: What the user knows.
        seen: The identifiers that the agent knows, in lower case.
    """
    strayed = strays(reply, choice, question, secret)
    found = (*leaks(reply, secret, seen), *strayed)
    text = "" if strayed else repaired(reply, secret, seen) if found else reply.strip()
    if not text and choice is not None:
        text = repaired(reply_to(choice, question, secret), secret, seen)
    return Answer(text or refusal(question), choice, found)
