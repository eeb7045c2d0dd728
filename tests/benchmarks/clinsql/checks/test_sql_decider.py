from pathlib import Path
from typing import cast

import orjson
import pytest

from wardround.benchmarks.clinsql.checks.model import AllOf, read_check
from wardround.benchmarks.clinsql.checks.sql_checks import SqlCheck
from wardround.benchmarks.clinsql.checks.sql_decider import decide_query
from wardround.benchmarks.clinsql.checks.vocabulary import vocabulary
from wardround.benchmarks.clinsql.execution import Executions
from wardround.ehr.database import Database

CASES = [
    line.split("\t") for line in (Path(__file__).parent / "sql_leaves.tsv").read_text().splitlines()
]


@pytest.mark.parametrize(("state", "check", "sql"), CASES)
def test_a_check_is_decided_by_meaning(state: str, check: str, sql: str, records: Database) -> None:
    words = vocabulary(Executions(records, 30.0))
    leaf = cast("SqlCheck | AllOf", read_check(orjson.loads(check), "case"))
    finding = decide_query(leaf, sql, None, words)
    assert finding.state == state, finding.reason
