"""The grammar reads the words of a query as the query itself."""

from collections import Counter
from functools import cache

import pytest

from tests.ehr.query.generated_queries import LAYOUTS, ward
from tests.ehr.query.plausible_queries import PlausibleQueries
from wardround.agents.parser.grammar.grammar import Composed, Grammar, grammar_of
from wardround.ehr.query import Query, differences, to_words
from wardround.ehr.records import record_map

QUERIES = 40
# Of the queries of each layout: read back, read otherwise, refused. Refused are differences, "is
# there such a record", events within a span of others, and two tests beside each other. Read
# otherwise are other records of the kind that is ranked, days that are compared where times are
# known to the day, and names that the record has in two columns.
READ_BACK = {
    "ehrsql_mimic_iv": (30, 1, 9),
    "mimic_iv_star": (28, 1, 11),
    "mimic_iv": (32, 3, 5),
    "mimic_iii": (31, 4, 5),
    "eicu": (29, 0, 11),
    "omop_5_4": (27, 1, 12),
}


@cache
def grammar(layout: str) -> Grammar:
    database = ward(layout, "duckdb").database
    tables = {t: [c.name for c in database.columns(t)] for t in database.tables()}
    records = record_map(tables)
    assert records
    return grammar_of(records, database)


def read(layout: str, text: str) -> Query | None:
    found = grammar(layout).compose(text)
    return found.query if isinstance(found, Composed) else None


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_words_of_a_query_are_read_back(layout: str) -> None:
    outcomes: Counter[str] = Counter()
    source = PlausibleQueries(ward(layout, "duckdb"), f"words of {layout}")
    for query in (source.draw() for _ in range(QUERIES)):
        found = read(layout, " ".join(to_words(query)))
        is_same = found and not differences(query, found)
        outcomes["same" if is_same else "other" if found else "refused"] += 1
    assert (outcomes["same"], outcomes["other"], outcomes["refused"]) == READ_BACK[layout]
