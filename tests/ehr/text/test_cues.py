"""What notes assert of their mentions, and the scopes of cues."""

from hypothesis import given
from hypothesis import strategies as st

from tests.cases import for_each
from tests.ehr.text.cases import rows
from wardround.ehr.text.cues import Assertion, assertion, cues, negations
from wardround.ehr.text.language import LANGUAGES, Language
from wardround.ehr.text.segments import Span

PIECES = ["no ", "not only ", "denies ", "fever", ", has ", "; ", "was ruled out",
          "cannot exclude ", "mother ", "not known ",
          "has not spread", "resolved", "不详", "无", "不仅", "咳嗽", "、", "，", "但有", "不除外",
          "。"]  # fmt: skip
TEXTS = st.one_of(st.text(max_size=40), st.lists(st.sampled_from(PIECES)).map("".join))


@for_each(rows("cues.txt"))
def test_assertions(language: Language, marked: str, wanted: Assertion) -> None:
    mention = Span(marked.index("["), marked.index("]") - 1)
    text = marked.replace("[", "").replace("]", "")
    assert assertion(text, mention, language) == wanted


@given(text=TEXTS, language=st.sampled_from(LANGUAGES))
def test_cues_lie_in_their_scopes_and_scopes_in_the_text(text: str, language: Language) -> None:
    found = cues(text, language)
    assert list(found) == sorted(found, key=lambda cue: cue.start)
    for cue in found:
        assert 0 <= cue.scope.start <= cue.start < cue.end <= cue.scope.end <= len(text)


@given(text=TEXTS, language=st.sampled_from(LANGUAGES))
def test_every_negation_is_a_cue(text: str, language: Language) -> None:
    places = {(cue.start, cue.end) for cue in cues(text, language) if cue.kind != "family"}
    assert {tuple(span) for span in negations(text, language)} <= places
