"""The form in which a value and a query are compared: no case, accents or spare spaces."""

import unicodedata


def comparable(text: str) -> str:
    """The text in the form in which texts are compared.

    >>> comparable("  Sjögren   SYNDROME ")
    'sjogren syndrome'
    """
    if not text.isascii():
        decomposed = unicodedata.normalize("NFKD", text)
        text = "".join(
            character for character in decomposed if not unicodedata.combining(character)
        )
    return " ".join(text.casefold().split())
