"""How a person ends the talk: the one token, and what a message with it amounts to."""

from wardround.people.person import Utterance

END = "###END###"


def utter(text: str) -> Utterance:
    """Makes an utterance of what a simulated person wrote.

    The token ends the talk wherever it stands. It ought to stand alone, but models write a
    farewell beside it (the paper's own D.2.1 does) and an agent that got an answer to such a
    message would be in a talk that its user has left; whether the text beside it breaks a rule
    is the validator's to judge, so the text is kept.

    >>> utter("###END###")
    Utterance(text='###END###', ends=True)
    >>> utter("That's all. ###END###").ends, utter("##END##").ends
    (True, False)
    """
    return Utterance(text.strip(), END in text)
