"""The texts that the model reads and writes."""

import re
from collections.abc import Callable, Mapping, Sequence

NULL = "null"  # the target of questions that the records cannot answer
_ESCAPED = re.compile(r"\[u\+([0-9a-f]+)\]")


def serialize_schema(tables: Mapping[str, Sequence[str]]) -> str:
    """A schema in one line, to append to a question (Lee et al. 2022, 4.3).

    >>> serialize_schema({"patients": ["subject_id", "gender"], "admissions": ["hadm_id"]})
    'patients : subject_id , gender | admissions : hadm_id'
    """
    return " | ".join(f"{table} : {' , '.join(columns)}" for table, columns in tables.items())


def source_text(question: str, schema: str) -> str:
    """The input of the model: the question, and the schema if there is one.

    >>> source_text("How many patients?", "patients : subject_id")
    'How many patients? | patients : subject_id'
    """
    return f"{question} | {schema}" if schema else question


def escape(text: str, has_letter: Callable[[str], bool]) -> str:
    """Escape the letters that a tokenizer lacks; T5's own has no "<".

    Args:
        text: Any text.
        has_letter: Whether the tokenizer has a letter.

    >>> escape("a <= b", lambda letter: letter != "<")
    'a [u+3c]= b'
    """
    return "".join(
        letter if letter.isspace() or has_letter(letter) else f"[u+{ord(letter):x}]"
        for letter in text
    )


def unescape(text: str) -> str:
    """The inverse of `escape`.

    >>> unescape("a [u+3c]= b")
    'a <= b'
    """
    return _ESCAPED.sub(lambda match: chr(int(match[1], 16)), text)
