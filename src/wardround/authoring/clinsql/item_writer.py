"""Writes made items in the published form, with anchor, checks and mapping beside them."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

import orjson

from wardround.authoring.clinsql.drafts import Draft
from wardround.authoring.clinsql.mapping_record import column_name, mapping_record
from wardround.authoring.clinsql.specification import QuestionSpec
from wardround.authoring.clinsql.tables import (
    RecordTables,
)
from wardround.benchmarks.clinsql.published.item_folders import ADDED
from wardround.benchmarks.clinsql.published.result_files import CsvTable, write_csv
from wardround.benchmarks.clinsql.tasks import TREES, leaf_item
from wardround.core.private_files import make_folder, write_whole
from wardround.scoring.rubrics.reader import rubric_json


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
