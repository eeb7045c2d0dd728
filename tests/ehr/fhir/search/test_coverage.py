"""Coverage of search: the cases of microsoft/fhir-server."""

from pathlib import Path

from tests.cases import for_each
from tests.ehr.fhir.search import test_results
from tests.ehr.fhir.search.generated import CRITERIA

ROWS = [
    line.split("\t")
    for line in Path(__file__).with_name("microsoft_fhir_server.tsv").read_text().splitlines()[1:]
]


def test_each_search_file_of_microsoft_has_a_row() -> None:
    assert len({file for file, _, _ in ROWS}) == len(ROWS) == 49


@for_each([(file, cases) for file, _, cases in ROWS])
def test_cases_are_there(file: str, cases: str) -> None:
    if cases.startswith("not supported: "):
        return
    for case in cases.split("; "):
        if case.startswith("generated "):
            _, kind, name = case.split(" ")
            assert name in dict(CRITERIA[kind]), file
        else:
            assert hasattr(test_results, case), file
