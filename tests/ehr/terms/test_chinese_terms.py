"""Chinese and English names of clinical terms."""

from collections import Counter

import pytest

from wardround.core.packaged_data import read_rows, split_cell
from wardround.ehr.terms.chinese import TermKind, chinese, english, plain
from wardround.ehr.terms.drugs import generics
from wardround.ehr.text.mentions import mentions

ROWS = list(read_rows("wardround.ehr.terms", "chinese.tsv"))


def test_every_row_reads_both_ways_and_names_its_source() -> None:
    for kind, names, terms, source, reviewed in ROWS:
        first, preferred = split_cell(names)[0], split_cell(terms)[0]
        assert chinese(first, kind) == preferred, first  # type: ignore[arg-type]
        assert english(preferred, kind) == first, first  # type: ignore[arg-type]
        assert source in ("CADN", "ICD-10", "usage")
        assert reviewed == "no"


def test_a_panel_has_the_name_of_its_order_and_is_known_by_its_parts() -> None:
    assert chinese("basic metabolic panel", "service") == "血生化"
    for name in ("电解质、肾功能和血糖", "电解质和肾功能", "基础代谢组合", "生化"):
        assert english(name, "service") == "basic metabolic panel"


def test_no_name_of_a_kind_stands_twice() -> None:
    names = Counter(
        (kind, plain(name)) for kind, *cells in ROWS for c in cells[:2] for name in split_cell(c)
    )
    assert [name for name, count in names.items() if count > 1] == []


def test_drugs_of_the_table_have_their_generic_name() -> None:
    for kind, names, *_ in ROWS:
        if kind == "drug":
            assert " + ".join(generics(names)) == names


@pytest.mark.parametrize("kind", ["drug", "test", "route", "diagnosis"])
def test_unknown_and_empty_names_have_no_translation(kind: TermKind) -> None:
    assert english("", kind) is None
    assert english("企鹅", kind) is None
    assert chinese("penguin", kind) is None


def test_a_blood_pressure_is_named_by_every_way_of_measuring_it() -> None:
    for way in ("Non Invasive", "Arterial"):
        [found] = mentions(f"{way} Blood Pressure systolic: 123 mmHg", "test")
        assert found.name == "systolic blood pressure"
