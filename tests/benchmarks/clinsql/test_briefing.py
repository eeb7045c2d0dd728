from pathlib import Path

import pytest

from tests.benchmarks.clinsql.item_samples import item
from wardround.benchmarks.clinsql import prompts
from wardround.benchmarks.clinsql.briefing import briefing, code_patterns, schema_text
from wardround.benchmarks.clinsql.declaration import CohortOptions
from wardround.benchmarks.clinsql.tools import submit_tool
from wardround.core.limits import Limits
from wardround.core.packaged_data import read_text
from wardround.core.tools import Toolbox
from wardround.ehr.schema import load_schema

SLIPS = Path(__file__).parent / "fixtures" / "schema_slips.tsv"


def test_schema_printed_in_a_paper_is_mimic_iv() -> None:
    slips = dict(line.split("\t") for line in SLIPS.read_text().splitlines()[1:])
    printed = {}
    for line in read_text(prompts.__name__, "schema_paper.tsv").splitlines():
        _, table, columns = line.split("\t")
        printed[slips.get(table, table)] = [slips.get(c, c) for c in columns.split(", ")]
    schema = load_schema("mimic_iv")
    assert set(printed) == {table.name for table in schema.tables}
    apart = {
        (table.name, column)
        for table in schema.tables
        for column in {each.name for each in table.columns} ^ set(printed[table.name])
    }
    assert apart == {
        ("d_labitems", "loinc_code"),
        ("labevents", "order_provider_id"),
        ("emar_detail", "product_description_other"),
        ("inputevents", "continueinnextdept"),
    }


@pytest.mark.parametrize("regime", ["cot", "direct", "tools"])
def test_a_briefing_holds_nothing_of_the_gold(tmp_path: Path, regime: str) -> None:
    task = item(tmp_path)
    options = CohortOptions(regime=regime)
    text = str(briefing(options, Toolbox([submit_tool()]), Limits(), task.hidden))
    for gold in (task.hidden.sql, *task.hidden.result.columns[1:], "4.5"):
        assert gold not in text


def test_hinted_shows_codes_and_columns_of_the_gold_and_no_more(tmp_path: Path) -> None:
    task = item(tmp_path)
    box = Toolbox([submit_tool()])
    hinted = briefing(CohortOptions(regime="hinted"), box, Limits(), task.hidden).rules
    plain = briefing(CohortOptions(regime="cot"), box, Limits(), task.hidden).rules
    more = set(hinted.splitlines()) - set(plain.splitlines())
    assert sorted(more) == [
        "Columns of the result, in order: admissions, mean_los_days",
        "Patterns of diagnosis and procedure codes: none",
        "Use these hints from clinical reviewers.",
    ]


@pytest.mark.parametrize(
    ("condition", "patterns"),
    [
        ("d.icd_code LIKE 'I21%' OR d.icd_code LIKE '410%'", ["I21%", "410%"]),
        ("SUBSTR(d.icd_code, 1, 3) IN ('I50', '428')", ["I50", "428"]),
        ("STARTS_WITH(d.icd_code, 'N17') AND d.icd_version = 10", ["N17"]),
        ("REGEXP_CONTAINS(icd_code, r'^E1[01]')", ["^E1[01]"]),
        ("UPPER(d.icd_code) = 'A419' AND d.seq_num = 1", ["A419"]),
        ("d.gender = 'F'", []),
    ],
)
def test_code_patterns_are_read_from_the_query(condition: str, patterns: list[str]) -> None:
    assert (
        code_patterns(f"SELECT 1 FROM diagnoses_icd AS d WHERE {condition}", "icd_code") == patterns
    )


def test_the_papers_schema_text_has_its_slips() -> None:
    assert "`physionet-data.mimiciv_3_1_hosp.d_hepces`" in schema_text("paper")
    assert "`physionet-data.mimiciv_3_1_hosp.d_hcpcs`" in schema_text("layout")
