"""The agent's instructions: rules, the regime's own, and the tables of MIMIC-IV as text."""

from functools import cache

from sqlglot import exp, parse_one

from wardround.benchmarks.clinsql import prompts
from wardround.benchmarks.clinsql.declaration import CohortOptions
from wardround.benchmarks.clinsql.environment import MOST_LOOKS, REFINEMENTS
from wardround.benchmarks.clinsql.items.item import CohortGold
from wardround.benchmarks.clinsql.layouts import PUBLISHED
from wardround.core.limits import Limits
from wardround.core.packaged_data import read_text
from wardround.core.task import Briefing
from wardround.core.tools import Toolbox
from wardround.ehr.schema import Table, load_schema
from wardround.models.prompts import fill

VERSION = "3_1"
_TYPES = {
    "INTEGER": "INT64",
    "REAL": "FLOAT64",
    "TEXT": "STRING",
    "TIMESTAMP": "DATETIME",
    "DATE": "DATE",
}
# The records and the names of their tables, as the published prompt says them and otherwise.
_PUBLISHED = {
    "records": "a hospital's records, MIMIC-IV,",
    "naming": "Name tables with their dataset, as in `physionet-data.mimiciv_3_1_hosp.patients`.",
}
_BARE = {
    "records": "a hospital's records, in OMOP's common data model,",
    "naming": "Name tables without a dataset.",
}
_EMPTY_RULE = "; if it gives no row you may mend it as well"


def briefing(
    options: CohortOptions,
    tools: Toolbox,
    limits: Limits,
    gold: CohortGold,
    layout: str = PUBLISHED,
) -> Briefing:
    """The briefing of a task; of its gold only the regime `hinted` uses something."""
    regime = options.regime
    hinted = hints(gold) if regime == "hinted" else {}
    rules_of_regime = fill(prompts.__name__, f"regime_{regime}.md", looks=MOST_LOOKS, **hinted)
    rules = fill(
        prompts.__name__,
        "agent.md",
        refinements=refinements_of(regime),
        empty_rule=_EMPTY_RULE if options.refine_empty else "",
        statement_seconds=f"{limits.statement_seconds:g}",
        regime=rules_of_regime,
        **(_PUBLISHED if layout == PUBLISHED else _BARE),
        schema=schema_text(options.schema_text, layout),
    )
    facts = {"dialect": "bigquery", "regime": regime}
    return Briefing(rules, tools.specs, facts)


def refinements_of(regime: str) -> int:
    """Number of times that a failed query may be mended; in `tools` there is one submission."""
    return 0 if regime == "tools" else REFINEMENTS


def hints(gold: CohortGold) -> dict[str, str]:
    """The parts of the gold that the regime `hinted` shows: code patterns and header (F)."""
    codes = code_patterns(gold.sql, "icd_code", "concept_code")
    return {"codes": ", ".join(codes) or "none", "columns": ", ".join(gold.result.columns)}


def code_patterns(sql: str, *columns: str) -> list[str]:
    """The texts with which a query compares columns of codes, in its order.

    >>> sql = "SELECT 1 FROM t WHERE icd_code LIKE 'I21%' OR STARTS_WITH(icd_code, '410')"
    >>> code_patterns(sql, "icd_code")
    ['I21%', '410']
    """
    tree = parse_one(sql, read="bigquery")
    compared = (node.parent for node in tree.find_all(exp.Column) if node.name in columns)
    texts = (text for each in compared if each is not None for text in _texts(each))
    return list(dict.fromkeys(texts))


def _texts(comparison: exp.Expr) -> list[str]:
    """The text literals of a comparison; of a call inside one, the whole comparison's."""
    while isinstance(comparison, exp.Func) and comparison.parent and not _is_test(comparison):
        comparison = comparison.parent
    if not _is_test(comparison):
        return []
    texts = comparison.find_all(exp.Literal, exp.RawString)
    return [node.this for node in texts if isinstance(node, exp.RawString) or node.is_string]


def _is_test(node: exp.Expr) -> bool:
    return isinstance(node, (exp.Predicate, exp.StartsWith, exp.RegexpLike))


@cache
def schema_text(kind: str, layout: str = PUBLISHED) -> str:
    """The tables of a layout with their columns, and of MIMIC-IV 3.1 with their datasets.

    Args:
        kind: `layout` for the columns and types of the published release, `paper` for the names
            that the paper's prompt has (P), its slips included.
        layout: the layout.
    """
    if kind == "paper" and layout == PUBLISHED:
        printed = read_text(prompts.__name__, "schema_paper.tsv").splitlines()
        return "\n".join(map(_paper_line, printed))
    return "\n\n".join(map(_table_text, load_schema(layout).tables))


def _table_text(table: Table) -> str:
    columns = ", ".join(f"{column.name} {_TYPES[column.type]}" for column in table.columns)
    name = f"`{_dataset(table.module)}.{table.name}`" if table.module else table.name
    return f"{name}: {table.meaning}\n{columns}"


def _paper_line(line: str) -> str:
    module, name, columns = line.split("\t")
    return f"`{_dataset(module)}.{name}`: {columns}"


def _dataset(module: str) -> str:
    return f"physionet-data.mimiciv_{VERSION}_{module}"
