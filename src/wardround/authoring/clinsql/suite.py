"""Makes a suite: drafts of every scenario and level, checked by the rules and written."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import Any, get_args

import orjson

from wardround.authoring.clinsql.anchors import AnchorPool, anchor_pool
from wardround.authoring.clinsql.drafts import Draft, drafts
from wardround.authoring.clinsql.gold_query.tables import (
    RecordTables,
    read_tables,
)
from wardround.authoring.clinsql.mapping_record import column_name, mapping_record
from wardround.authoring.clinsql.rules import Rules, with_tests
from wardround.authoring.clinsql.served_shapes import cohort_lack, unserved
from wardround.authoring.clinsql.specification import Level, QuestionSpec
from wardround.authoring.clinsql.strata import Uses
from wardround.authoring.findings import Finding
from wardround.benchmarks.clinsql.items.item import SCENARIOS, TREES, leaf_item
from wardround.benchmarks.clinsql.items.item_folders import ADDED
from wardround.benchmarks.clinsql.items.result_files import CsvTable, write_csv
from wardround.benchmarks.clinsql.layouts import LAYOUTS
from wardround.benchmarks.clinsql.record_database import open_records
from wardround.core.errors import UserError
from wardround.core.private_files import make_folder, write_whole
from wardround.scoring.rubrics.reader import rubric_json

_SHARES: Mapping[Level, float] = {"easy": 0.3, "medium": 0.4, "hard": 0.3}
# Drafts of a scenario and level for each item, before it is given up.
_DRAFTS = 100
DUPLICATE = "duplicate"


@dataclass(frozen=True, slots=True)
class MadeSuite:
    """A suite that was written.

    Attributes:
        counts: Items by scenario and level.
        findings: Shapes that the record does not serve, and dropped drafts, by scenario, level and
            reason.
        uses: Items by stratum, shape and patient, with the dimension before each name.
    """

    counts: Mapping[tuple[str, Level], int]
    findings: tuple[Finding, ...]
    uses: Uses


def make_suite(
    location: str,
    to: Path,
    count: int,
    seed: int,
    least: int,
    done: Callable[[int], None] = lambda items: None,
) -> MadeSuite:
    """Makes items about a database and writes them to a folder.

    Raises:
        UserError: The folder is not empty, the database has another layout, or no stay has a
            known condition.
    """
    if to.exists() and not to.is_dir():
        raise UserError(f"{to} is a file; name a folder with --to.")
    if to.exists() and any(to.iterdir()):
        raise UserError(f"The folder {to} is not empty; name a new one with --to.")
    with closing(open_records(location)) as database:
        tables = read_tables(database)
        if tables is None or tables.records.layout not in LAYOUTS:
            raise UserError(
                "Questions are made about MIMIC-IV's layout and OMOP's; "
                f"{location} has another one, see wardround doctor."
            )
        tables = with_tests(tables, database)
        if lack := cohort_lack(tables):
            raise UserError(f"The records of {location} have no {lack}, so no cohort can be made.")
        pool = anchor_pool(database, tables, least)
        if not pool.anchors:
            raise UserError(
                f"{location} has no stay with an ICD code of a known condition and {least} similar"
                " patients; name a larger database or smaller cohorts."
            )
        rules = Rules(database, tables, least)
        counts = Counter[tuple[str, Level]]()
        findings = [*unserved(tables)]
        uses: Uses = Counter()
        for scenario, level, wanted in wanted_items(count):
            findings += _make(rules, pool, tables, scenario, level, wanted, seed, to, counts, uses)
            done(counts.total())
    return MadeSuite(counts, tuple(findings), uses)


def wanted_items(count: int) -> Iterator[tuple[str, Level, int]]:
    """The number of items of each scenario and level in a suite.

    >>> [wanted for scenario, level, wanted in wanted_items(60)][:3]
    [3, 4, 3]
    """
    for index, scenario in enumerate(SCENARIOS):
        items = count // len(SCENARIOS) + (index < count % len(SCENARIOS))
        ends = {level: round(items * _SHARES[level]) for level in ("easy", "hard")}
        for level in get_args(Level):
            yield scenario, level, ends.get(level, items - sum(ends.values()))


def _make(
    rules: Rules,
    pool: AnchorPool,
    tables: RecordTables,
    scenario: str,
    level: Level,
    wanted: int,
    seed: int,
    to: Path,
    counts: Counter[tuple[str, Level]],
    uses: Uses,
) -> Iterator[Finding]:
    topics: set[tuple[object, ...]] = set()
    for draft in islice(drafts(scenario, level, pool, tables, seed, uses), wanted * _DRAFTS):
        if counts[scenario, level] == wanted:
            return
        if draft.topic in topics:
            yield Finding(f"{scenario}/{level}", DUPLICATE, kind="question")
            continue
        gold = rules.gold(draft)
        if isinstance(gold, str):
            yield Finding(f"{scenario}/{level}", gold, kind="question")
            continue
        topics.add(draft.topic)
        counts[scenario, level] += 1
        uses.update(draft.uses)
        write_item(to, draft, gold, counts[scenario, level])


def write_item(root: Path, draft: Draft, gold: CsvTable, number: int) -> Path:
    """Writes an item's folder below a root, and returns it."""
    spec = draft.spec
    name = f"{number:03d}"
    folder = root / spec.scenario / f"{spec.level}_level_queries" / name
    make_folder(folder)
    rubrics = draft.rubrics(gold)
    checks = {
        leaf_item(tree, leaf.id): leaf.check.stored()
        for tree in TREES
        for leaf in rubrics[tree].leaves
    }
    added = {
        "anchor": draft.anchor.subject_id,
        "checks": checks,
        "mapping": mapping_record(spec, draft.anchor.stratum, draft.tables),
        "specification": _specification(spec, draft.tables),
    }
    files = {
        f"query_{name}.txt": f"{draft.question}\n".encode(),
        f"sql_{name}.sql": draft.sql.encode(),
        f"result_{name}.csv": write_csv(gold).encode(),
        **{f"{tree}_rubric_tree.json": _json(rubric_json(rubrics[tree].node)) for tree in TREES},
        ADDED: _json(added),
    }
    for file, content in files.items():
        write_whole(folder / file, content)
    return folder


def _specification(spec: QuestionSpec, tables: RecordTables) -> dict[str, Any]:
    """The specification in the words of the layout: its tables and columns."""
    record = asdict(spec)
    outcome = record["outcome"]
    outcome["column"] = column_name("admission", outcome["column"], tables)
    record["concept"] = _concept(record["concept"], tables)
    return record


def _concept(record: dict[str, Any] | None, tables: RecordTables) -> dict[str, Any] | None:
    if record is None:
        return None
    named = {
        ("table" if name == "kind" else name): tables.table_of(value) if name == "kind" else value
        for name, value in record.items()
        if name != "names" or value
    }
    return {**named, "companion": _concept(record["companion"], tables)}


def _json(content: Any) -> bytes:
    return orjson.dumps(content, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
