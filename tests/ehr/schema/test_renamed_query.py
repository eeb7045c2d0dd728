"""Queries rewritten for a renamed schema."""

from sqlglot import parse_one

from tests.cases import for_each
from wardround.ehr.schema.model import Renaming
from wardround.ehr.schema.renamed_query import renamed

NAMES = Renaming(
    "new",
    "old",
    {"orders": "purchases", "kinds": "sorts"},
    {"orders": {"person": "buyer", "drug": "good"}, "kinds": {"of": "belongs"}},
    {"kinds": {"of": {"orders": "purchases"}}},
)

CASES = {
    "a table and its columns": (
        "SELECT orders.drug FROM orders WHERE orders.person = 1",
        "SELECT purchases.good FROM purchases WHERE purchases.buyer = 1",
    ),
    "a derived table's columns are renamed as the ones it selects": (
        "SELECT t1.drug FROM (SELECT orders.drug FROM orders) AS t1",
        "SELECT t1.good FROM (SELECT purchases.good FROM purchases) AS t1",
    ),
    "through two derived tables": (
        "SELECT t2.drug FROM (SELECT t1.drug FROM (SELECT orders.drug FROM orders) AS t1) AS t2",
        "SELECT t2.good FROM (SELECT t1.good FROM (SELECT purchases.good FROM purchases) AS t1) "
        "AS t2",
    ),
    "an alias stays": (
        "SELECT t1.drug FROM (SELECT COUNT(*) AS drug FROM orders) AS t1",
        "SELECT t1.drug FROM (SELECT COUNT(*) AS drug FROM purchases) AS t1",
    ),
    "a value that names a table": (
        "SELECT kinds.of FROM kinds WHERE kinds.of = 'orders' AND kinds.of <> 'others'",
        "SELECT sorts.belongs FROM sorts WHERE sorts.belongs = 'purchases' "
        "AND sorts.belongs <> 'others'",
    ),
    "another column's value stays": (
        "SELECT orders.drug FROM orders WHERE orders.drug = 'orders'",
        "SELECT purchases.good FROM purchases WHERE purchases.good = 'orders'",
    ),
    "what the renaming does not know stays": (
        "SELECT others.drug FROM others",
        "SELECT others.drug FROM others",
    ),
}


@for_each(CASES)
def test_identifiers_are_renamed_as_in_the_file(case: str) -> None:
    before, after = CASES[case]
    tree = parse_one(before)
    assert renamed(tree, NAMES).sql() == after
    assert tree.sql() == before
