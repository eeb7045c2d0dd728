"""Template replies for a chosen action, without a model."""

from random import Random

from wardround.people.clarifying.candidates import candidate_of
from wardround.people.clarifying.model import Choice, Labelled, Refused, Secret
from wardround.people.clarifying.packaged import packaged


def reply_to(choice: Choice, question: str, secret: Secret) -> str:
    """Returns a reply in plain words, the same for the same question.

    Args:
        choice: The action chosen for the question.
        question: The agent's question; it decides the wording only.
        secret: The user's secret.
    """
    known = None if isinstance(choice, Refused) else candidate_of(choice, secret)
    if known is None or not known.words:
        return refusal(question)
    if isinstance(choice, Labelled) and choice.ambiguity.meaning:
        return _sentence(choice.ambiguity.meaning)
    term = choice.ambiguity.term if isinstance(choice, Labelled) else ""
    return _wording(known.aspects[0], question).format(words=known.words, term=term)


def refusal(question: str) -> str:
    """Returns a refusal, the same for the same question."""
    return _wording("refused", question)


def _sentence(meaning: str) -> str:
    """Formats the author's written meaning as a sentence."""
    text = meaning.strip()
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith(('.', '!', '?')) else '.'}"


def _wording(aspect: str, question: str) -> str:
    return str(Random(question).choice(packaged("aspects")[aspect]["reply"]))
