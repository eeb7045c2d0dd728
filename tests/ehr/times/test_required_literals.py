"""Literal prefilter of regular expressions."""

import re

from hypothesis import given
from hypothesis import strategies as st

from tests.cases import for_each
from wardround.ehr.times.time_expressions import _wordings, required_literals

PATTERNS = sorted({wording.pattern.pattern for wording in _wordings()})


@given(st.data())
def test_every_match_contains_a_required_literal(data: st.DataObject) -> None:
    pattern = data.draw(st.sampled_from(PATTERNS))
    text = data.draw(st.from_regex(re.compile(pattern, re.IGNORECASE | re.ASCII)))
    parts = required_literals(pattern)
    assert not parts or any(part in text.casefold() for part in parts)


@for_each(
    [
        ("last (?:visit|stay)", ("last ",)),
        ("(?:visit|a stay)s in", ("visit", "a stay")),
        ("(?:visits|a stay) (?:x )?i", ("visits", "a stay")),
        ("(?:days?|years?) ago", (" ago",)),
        ("ba+c", ("ba",)),
        (r"\d+/[0-9]{2}", ("/",)),
        ("today|[0-9]", ()),
        ("(?:on )?", ()),
        ("Once(?! more)", ("once",)),
    ]
)
def test_the_most_selective_literal_is_chosen(pattern: str, parts: tuple[str, ...]) -> None:
    assert required_literals(pattern) == parts
