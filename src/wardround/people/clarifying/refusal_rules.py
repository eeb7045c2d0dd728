"""Whether a question asks for what a user must not tell: SQL, schema, steps or the answer."""

from wardround.people.clarifying.packaged import pattern


def must_refuse(question: str) -> bool:
    """Whether a question asks for what is not the user's to tell.

    >>> must_refuse("Which table are the drugs in?"), must_refuse("Which drugs do you mean?")
    (True, False)
    >>> must_refuse("Which columns should the result show?")
    False
    """
    text = " ".join(question.split())
    rest = pattern("refusing", "allowed").sub(" ", text)
    return bool(pattern("refusing", "asking").search(rest))
