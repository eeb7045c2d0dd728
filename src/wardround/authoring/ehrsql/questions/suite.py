"""Makes a set of questions and writes it in both published forms."""

import json
import shutil
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from itertools import count
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from wardround.authoring.ehrsql.questions.made_question import Made, answer_text, entry
from wardround.authoring.ehrsql.questions.maker import Maker, opened_maker
from wardround.authoring.ehrsql.questions.splits import SPLITS, Plan, Split, unanswerable_counts
from wardround.authoring.ehrsql.questions.statistics import statistics, time_columns
from wardround.authoring.ehrsql.templates import all_question_templates, templates_for, why_not
from wardround.authoring.ehrsql.templates.records import Records
from wardround.authoring.findings import Finding
from wardround.benchmarks.ehrsql.published import ANSWER, DATA, LABEL
from wardround.benchmarks.ehrsql.tasks import NULL
from wardround.core.errors import UserError
from wardround.core.private_files import make_folder, write_whole
from wardround.core.work import Progress, silent

STATISTICS = "statistics.json"
# The reason for questions that could not be made for lack of records.
TOO_FEW_RECORDS = "too few records"


class MadeSet(NamedTuple):
    """A generated set.

    Attributes:
        statistics: statistics by split.
        findings: questions that could not be made, by template.
        tied: the number of questions whose answer depends on the engine's order of rows.
        layout: the database's name in the questions.
        by_map: True if the queries read the records by their map, in no layout of EHRSQL's own.
    """

    statistics: Mapping[Split, Mapping[str, float]]
    findings: tuple[Finding, ...]
    tied: int
    layout: str
    by_map: bool


def make_ehrsql(
    location: str,
    to: Path,
    seed: int,
    size: float = 1.0,
    now: datetime | None = None,
    progress: Progress = silent,
    more: Mapping[str, Sequence[str]] = MappingProxyType({}),
    map_path: Path | None = None,
    splits: Sequence[Split] = SPLITS,
) -> MadeSet:
    """Makes questions about a database and writes them to a new folder.

    Args:
        location: a file or URL of a database.
        to: the folder, which must not exist.
        seed: the seed; the same seed gives the same files.
        size: the size of the set as a multiple of the paper's.
        now: the value of `current_time`; by default the end of the last admission's year.
        progress: called after each question, with the number made and the total.
        more: wordings in addition to the packaged ones, by template id.
        map_path: a record map of the database's own; that of its layout if left out.
        splits: the splits to make.

    Raises:
        UserError: the folder exists, or no record map fits the database.
    """
    if to.exists():
        raise UserError(f"{to} already exists; name a new folder, or remove it first.")
    unfinished = to.with_name(to.name + ".unfinished")
    with opened_maker(location, seed, now, map_path) as maker:
        shutil.rmtree(unfinished, ignore_errors=True)
        make_folder(unfinished)
        templates = templates_for(maker.pool.source.records)
        try:
            plans = [Plan(split, templates, seed, size, more) for split in splits]
            made = _write(maker, unfinished, plans, progress)
            unfinished.rename(to)
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)
    return made


def _write(maker: Maker, folder: Path, plans: Sequence[Plan], progress: Progress) -> MadeSet:
    source, figures = maker.pool.source, dict[Split, Mapping[str, float]]()
    times = time_columns(source.records)
    wanted = {plan.split: plan.counts() for plan in plans}
    total = sum(sum(counts.values()) for counts in wanted.values())
    missing, tied, done = Counter[str](), 0, count(1)

    def advance() -> None:
        progress(next(done), total, "questions")

    for plan in plans:
        counts = wanted[plan.split]
        answerable = list(maker.answerable(counts, plan.wordings, plan.split, advance))
        shares = unanswerable_counts(plan.split, len(answerable), maker.unanswerable_templates)
        unanswerable = list(maker.unanswerable(shares, plan.wordings, plan.split))
        _write_split(folder, plan.split, [*answerable, *unanswerable], maker)
        figures[plan.split] = statistics([*answerable, *unanswerable], times, source.dialect)
        made_counts = Counter(made.template.id for made in answerable)
        missing += Counter({template.id: n for template, n in counts.items()}) - made_counts
        tied += sum(made.tied for made in answerable)
    write_json(folder / STATISTICS, {
        "seed": maker.seed,
        "database": source.schema,
        "splits": figures,
        "short": missing,
        "tied": tied,
    })  # fmt: skip
    findings = [
        Finding(id, TOO_FEW_RECORDS, count=number, kind="question")
        for id, number in missing.items()
    ]
    return MadeSet(
        figures,
        (*_unserved(source.records), *findings),
        tied,
        source.schema,
        source.records.are_views,
    )


def _unserved(records: Records) -> Iterator[Finding]:
    """Findings for templates that the records cannot answer."""
    for template in all_question_templates():
        if reason := why_not(template, records):
            yield Finding(template.id, reason, kind="template")


def _write_split(folder: Path, split: Split, made: Sequence[Made], maker: Maker) -> None:
    now, schema = maker.now, maker.pool.source.schema
    entries = [entry(question, schema, split, now) for question in made]
    of_1_5, of_2024 = folder / "ehrsql-1.5", folder / "ehrsql-2024" / split
    make_folder(of_1_5)
    make_folder(of_2024)
    write_json(of_1_5 / f"{split}.json", entries)
    write_json(of_2024 / DATA, {
        "version": f"{schema}_{split}",
        "current_time": now,
        "database": schema,
        "data": [{"id": item["id"], "question": item["question"]} for item in entries],
    })  # fmt: skip
    write_json(of_2024 / LABEL, {item["id"]: item["query"] for item in entries})
    answers = {
        item["id"]: answer_text(question.rows) if question.sql else NULL
        for item, question in zip(entries, made, strict=True)
    }
    write_json(of_2024 / ANSWER, answers)


def write_json(path: Path, content: Any) -> None:
    """Writes a published file."""
    text = json.dumps(content, ensure_ascii=False, indent=1)
    write_whole(path, f"{text}\n".encode())
