"""A verb tells what the patient does, or what is to be done."""

from typing import cast

from tests.cases import for_each
from tests.ehr.text.cases import rows
from wardround.ehr.text.agents import is_patients_doing
from wardround.ehr.text.language import Language
from wardround.ehr.text.segments import Span


@for_each(rows("agents.txt"))
def test_the_agent_of_a_verb(language: str, clause: str, expected: str) -> None:
    before, _, rest = clause.partition("[")
    verb, _, behind = rest.partition("]")
    span = Span(len(before), len(before) + len(verb))
    found = is_patients_doing(before + verb + behind, span, cast("Language", language))
    assert found == (expected == "yes")
