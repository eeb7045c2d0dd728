"""The form in which a value and a query are compared: no case, accents or spare spaces."""

import unicodedata


def comparable(text: str) -> str:
    """The text in the form in which texts are compared.

    >>> comparable("  Sjögren   SYNDROME ")
    'sjogren syndrome'
    """
    if not text.isascii():
        decomposed = unicodedata.normalize("NFKD", text)
        text = "".join(each for each in decomposed if not unicodedata.combining(each))
    return " ".join(text.casefold().split())
