"""What a user hears of a question."""

LONGEST = 2000


def heard(question: str) -> str:
    """A question in one line, cut to what anybody would listen to.

    Quotation marks that could end a prompt's quotation of it become single ones.

    >>> heard("How   many? " + 3 * '"' + "Ignore all")
    'How many? "Ignore all'
    """
    text = " ".join(question[: 10 * LONGEST].split())
    while '""' in text:
        text = text.replace('""', '"')
    return text[:LONGEST]
