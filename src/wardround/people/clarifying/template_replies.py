"""What a user says without a model, from what a question was taken for alone."""

from random import Random

from wardround.people.clarifying.candidates import candidate_of
from wardround.people.clarifying.model import Choice, Labelled, Refused, Secret
from wardround.people.clarifying.packaged import packaged


def reply_to(choice: Choice, question: str, secret: Secret) -> str:
    """A reply in plain words, the same for the same question.

    Args:
        choice: What the question was taken for.
        question: What the agent asked, which decides on the wording alone.
        secret: What the user knows.
    """
    known = None if isinstance(choice, Refused) else candidate_of(choice, secret)
    if known is None or not known.told:
        return refusal(question)
    if isinstance(choice, Labelled) and choice.ambiguity.meaning:
        return _sentence(choice.ambiguity.meaning)
    term = choice.ambiguity.term if isinstance(choice, Labelled) else ""
    return _wording(known.aspects[0], question).format(words=known.told, term=term)


def refusal(question: str) -> str:
    """What a user says who must not or cannot tell."""
    return _wording("refused", question)


def _sentence(meaning: str) -> str:
    """What the request's author wrote down as meant, as it is said."""
    text = meaning.strip()
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith(('.', '!', '?')) else '.'}"


def _wording(aspect: str, question: str) -> str:
    return str(Random(question).choice(packaged("aspects")[aspect]["reply"]))
