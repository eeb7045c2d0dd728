"""Template replies for a chosen action, without a model."""

from random import Random

from wardround.people.clarifying.candidates import candidate_of
from wardround.people.clarifying.further_fragments import moments
from wardround.people.clarifying.packaged import packaged
from wardround.people.clarifying.secret import Choice, Labelled, Refused, Secret


def reply_to(choice: Choice, question: str, secret: Secret, seed: int = 0) -> str:
    """Returns a reply in plain words, the same for the same question and seed.

    Args:
        choice: The action chosen for the question.
        question: The agent's question; it decides the wording only.
        secret: The user's secret.
        seed: The trial's seed; it decides the wording too.
    """
    known = None if isinstance(choice, Refused) else candidate_of(choice, secret)
    if known is None or not known.words:
        return refusal(question, seed)
    if isinstance(choice, Labelled) and choice.ambiguity.meaning:
        stated = _wording("stated", question, seed)
        return stated.format(words=_sentence(choice.ambiguity.meaning)) + "".join(
            f" {_wording('basis', question, seed).format(words=moment)}"
            for moment in moments(choice.ambiguity.fragments)
        )
    term = choice.ambiguity.term if isinstance(choice, Labelled) else ""
    return _wording(known.aspects[0], question, seed).format(words=known.words, term=term)


def refusal(question: str, seed: int = 0) -> str:
    """Returns a refusal, the same for the same question and seed."""
    return _wording("refused", question, seed)


def is_refusal(text: str) -> bool:
    """True if a text is one of the refusals."""
    return bool(text in packaged("replies")["refused"])


def repeated_request(question: str, secret: Secret, seed: int = 0) -> str:
    """Repeats the request, for a question that asks for nothing in particular."""
    return _wording("repeated", question, seed).format(words=_sentence(secret.request))


def _sentence(meaning: str) -> str:
    """Formats the author's written meaning as a sentence."""
    text = meaning.strip()
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith(('.', '!', '?')) else '.'}"


def _wording(aspect: str, question: str, seed: int) -> str:
    return str(Random(f"{seed} {question}").choice(packaged("replies")[aspect]))
