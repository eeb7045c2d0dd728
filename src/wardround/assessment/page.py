"""The page of an assessment: as HTML beside a page of each run with every trial, and as values."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from wardround.assessment.answer import sentences
from wardround.assessment.assessed import Assessed
from wardround.assessment.evidence import PlayedSuite
from wardround.assessment.play import Part
from wardround.assessment.tables import tables, trial_name
from wardround.core.private_files import write_whole
from wardround.report.html import choose_detailed, templates
from wardround.report.run_report import read_report, write_html
from wardround.report.tables import formatted, to_json
from wardround.runs.scoring import GoldReader

PAGE = "index.html"


def write_pages(assessed: Assessed, parts: Sequence[Part], folder: Path) -> Path:
    """Writes the pages into the assessment's folder; returns the path of the first."""
    pages = {part.name: f"{part.name}.html" for part in parts}
    for part in parts:
        golds = GoldReader(part.folder, lambda line: None)
        report = read_report(part.folder, None, golds.explanation, golds.conversation)
        write_html(report, folder / pages[part.name], force=True)
    page = (
        templates()
        .get_template("assessment.html.j2")
        .render(
            title=assessed.title,
            sentences=sentences(assessed),
            notices=assessed.notices,
            tables=[formatted(table) for table in tables(assessed).values()],
            pages=pages,
            links=trial_links(assessed.played, [part.name for part in parts]),
        )
    )
    write_whole(folder / PAGE, page.encode())
    return folder / PAGE


def as_values(assessed: Assessed) -> dict[str, Any]:
    """The page as JSON values."""
    return {
        "title": assessed.title,
        "state": assessed.state,
        "sentences": sentences(assessed),
        "notices": list(assessed.notices),
        "tables": {name: to_json(table) for name, table in tables(assessed).items()},
    }


def trial_links(played: Sequence[PlayedSuite], names: Sequence[str]) -> dict[str, str]:
    """The place of each trial that the page of its run shows in full, by the trial's name.

    Args:
        played: the trials.
        names: the name of each part's page.
    """
    return {
        trial_name(trial): f"{name}.html#{quote(f'{trial.task}.{trial.trial}')}"
        for suite, name in zip(played, names, strict=True)
        if not suite.is_injected
        for trial in choose_detailed(suite.trials)
    }
