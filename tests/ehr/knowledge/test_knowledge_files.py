import re
from pathlib import Path

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import for_each
from wardround.core.errors import UserError
from wardround.ehr.knowledge import (
    KnowledgeBase,
    KnowledgeEntry,
    parse_knowledge,
    read_documents,
    read_knowledge,
)


def faulty() -> list[tuple[str, str]]:
    text = (Path(__file__).parent / "faulty.txt").read_text("utf-8").split("\n", 1)[1]
    cases = re.findall(r"(.*?)^=> (.*?)$\n?\n?", text, re.M | re.S)
    assert len(cases) == text.count("=> ")
    return cases


@for_each(faulty())
def test_malformed_knowledge_base_is_refused_with_its_line(lines: str, message: str) -> None:
    with pytest.raises(UserError) as error:
        parse_knowledge(lines.encode(), "kb.jsonl")
    assert message in str(error.value)


def test_published_format_loads() -> None:
    base = parse_knowledge(
        b'{"id": 3, "knowledge": " AVS ", "description": "for care", "definition": "IF x CPI", '
        b'"type": "calculation_knowledge", "children_knowledge": [1, 0, 1], "other": {}}\n\n'
        b'{"id": 0, "knowledge": "IF", "definition": "i", "children_knowledge": -1}\n'
        b'{"id": 1, "knowledge": "CPI", "definition": "c", "children_knowledge": 0}\n',
        "kb.jsonl",
    )
    assert list(base) == [
        KnowledgeEntry(3, "AVS", "for care", "IF x CPI", "calculation_knowledge", (1, 0)),
        KnowledgeEntry(0, "IF", "", "i"),
        KnowledgeEntry(1, "CPI", "", "c", children=(0,)),
    ]
    assert base.named("cpi ") == base.entries[1]
    assert base.named("nothing") is None


texts = st.text(st.characters(codec="utf-8"), max_size=8)


@st.composite
def bases(draw: st.DrawFn) -> KnowledgeBase:
    ids = draw(st.lists(st.integers(0, 99), unique=True, max_size=9))
    entries = {}
    for place, id in enumerate(ids):
        children = draw(st.lists(st.sampled_from(ids[:place]), unique=True)) if place else []
        name = draw(texts.map(str.strip).filter(bool))
        entries[id] = KnowledgeEntry(
            id, name, draw(texts), draw(texts), draw(texts), tuple(children)
        )
    order = draw(st.permutations(ids))
    return KnowledgeBase({id: entries[id] for id in order})


def _line(entry: KnowledgeEntry) -> bytes:
    return orjson.dumps(
        {
            "id": entry.id,
            "knowledge": entry.name,
            "description": entry.description,
            "definition": entry.definition,
            "type": entry.kind,
            "children_knowledge": list(entry.children) or -1,
        }
    )


@given(bases())
def test_knowledge_base_round_trips(base: KnowledgeBase) -> None:
    assert list(parse_knowledge(b"\n".join(map(_line, base)), "kb")) == list(base)


def test_documents_are_found_by_their_published_file_names(tmp_path: Path) -> None:
    folder = tmp_path / "alien"
    folder.mkdir()
    (folder / "alien_kb.jsonl").write_text('{"id": 0, "knowledge": "A", "definition": "a"}')
    (folder / "alien_column_meaning_base.json").write_text('{"alien|sky|moon": "its phase"}')
    for place in (tmp_path, folder):
        result = read_documents(place, "alien")
        assert [entry.name for entry in result.knowledge] == ["A"]
        assert [meaning.text for meaning in result.meanings] == ["its phase"]
    with pytest.raises(UserError, match=r"holds 0 files other_kb\.jsonl instead of one"):
        read_documents(tmp_path, "other")
    with pytest.raises(UserError, match="does not exist"):
        read_knowledge(tmp_path / "none.jsonl")
