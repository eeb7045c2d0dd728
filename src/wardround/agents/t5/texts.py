"""What the model reads and writes: the question with or without the schema, and SQL."""

import re
from collections.abc import Callable, Mapping, Sequence

NULL = "null"  # what is written where the records have no answer
_ESCAPED = re.compile(r"\[u\+([0-9a-f]+)\]")


def serialised(tables: Mapping[str, Sequence[str]]) -> str:
    """A database's tables and columns in one line, to stand after a question (EHRSQL 4.3).

    >>> serialised({"patients": ["subject_id", "gender"], "admissions": ["hadm_id"]})
    'patients : subject_id , gender | admissions : hadm_id'
    """
    return " | ".join(f"{table} : {' , '.join(columns)}" for table, columns in tables.items())


def source_text(question: str, schema: str) -> str:
    """What the model reads; without a schema the question alone.

    >>> source_text("How many patients?", "patients : subject_id")
    'How many patients? | patients : subject_id'
    """
    return f"{question} | {schema}" if schema else question


def escaped(text: str, carried: Callable[[str], bool]) -> str:
    """The text with what a tokenizer cannot carry written out.

    T5's own has no "<", which SQL needs.

    Args:
        text: any text.
        carried: whether the tokenizer knows a letter.

    >>> escaped("a <= b", lambda letter: letter != "<")
    'a [u+3c]= b'
    """
    return "".join(
        letter if letter.isspace() or carried(letter) else f"[u+{ord(letter):x}]" for letter in text
    )


def unescaped(text: str) -> str:
    """The inverse of `escaped`.

    >>> unescaped("a [u+3c]= b")
    'a <= b'
    """
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text)
