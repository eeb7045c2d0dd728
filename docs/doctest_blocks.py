"""Shows the examples of docstrings as code: a page would take their `>>>` for quotations."""

import re
from typing import Any

import griffe

# A run of lines that begins with a prompt and ends before an empty line.
EXAMPLE = re.compile(r"(?:^|(?<=\n))>>> .*(?:\n(?=\S|[ ]).*)*")


class DoctestBlocks(griffe.Extension):
    """Puts each example into a fenced block."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Rewrites a docstring once it is known."""
        if obj.docstring:
            obj.docstring.value = EXAMPLE.sub(_fenced, obj.docstring.value)


def _fenced(example: re.Match[str]) -> str:
    return f"```pycon\n{example[0]}\n```"
