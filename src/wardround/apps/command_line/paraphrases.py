"""`wardround tasks paraphrase`: more wordings from a language model, into a review file."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from wardround.core.errors import UserError
from wardround.core.trajectory import Requested

if TYPE_CHECKING:
    from wardround.authoring.ehrsql.paraphrases import Paraphrased, Paraphraser, Template
    from wardround.models.roles import RoleModels

# Wordings vary, verdicts do not.
TEMPERATURES = {"paraphraser": 1.0, "judge": 0.0}


def paraphrase_questions(
    benchmark: str,
    to: Path,
    templates: Sequence[str],
    models: "RoleModels",
    *,
    count: int,
    distance: float,
    seed: int,
    again: bool,
    concurrency: int,
) -> None:
    """Asks for wordings, adds them to the file, and says what came of each step."""
    from wardround.apps.command_line.data.interrupt import told_when_stopped
    from wardround.authoring.ehrsql.paraphrases import Paraphraser, chosen_templates

    if benchmark != "ehrsql":
        raise UserError(f"There are no wordings of {benchmark!r}; only of ehrsql.")
    asked = chosen_templates(templates)
    requests: list[Requested] = []
    stopped = told_when_stopped(f"Stopped; what came is in {to}. The same command goes on.")
    with stopped:
        paraphraser = Paraphraser(
            models.open("paraphraser"),
            models.open("judge"),
            count,
            distance,
            seed,
            requests.append,
        )
        told = asyncio.run(_all(paraphraser, asked, to, models, again, concurrency))
    for line in (*_steps(told), _spent(requests)):
        typer.echo(line)
    typer.echo(
        f"Read {to} and write accept or strike before each wording; then "
        f"`wardround tasks make ehrsql --paraphrases {to}`."
    )


async def _all(
    paraphraser: "Paraphraser",
    asked: Sequence["Template"],
    to: Path,
    models: "RoleModels",
    again: bool,
    concurrency: int,
) -> list["Paraphrased"]:
    from rich.console import Console
    from rich.progress import Progress

    from wardround.authoring.ehrsql.paraphrases import paraphrase

    told = []
    try:
        with Progress(console=Console(stderr=True), transient=True) as progress:
            turns = paraphrase(paraphraser, asked, to, again=again, at_once=concurrency)
            bar = progress.add_task("templates", total=len(asked))
            async for one in turns:
                told.append(one)
                progress.advance(bar)
    finally:
        await models.close()
    return told


def _steps(told: Sequence["Paraphrased"]) -> list[str]:
    candidates = [candidate for one in told for candidate in one.candidates]
    pruned = Counter(each.fault.partition(":")[0] for each in candidates if each.fault)
    by_step = ", ".join(f"{step} {count:,}" for step, count in pruned.items()) or "none"
    silent = [one.template.id for one in told if not one.candidates]
    said = [
        f"{len(told):,} templates asked, {len(candidates):,} candidates: "
        f"{len(candidates) - pruned.total():,} left to be reviewed; pruned: {by_step}."
    ]
    if silent:
        said.append(f"No wordings came for {', '.join(silent)}; the same command asks again.")
    return said


def _spent(requests: Sequence[Requested]) -> str:
    costs = [request.cost for request in requests if request.cost is not None]
    read, written = (
        sum(getattr(request, f"{way}_tokens") for request in requests)
        for way in ("input", "output")
    )
    cost = f", {sum(costs):.4f} US dollars" if costs and len(costs) == len(requests) else ""
    return f"{len(requests):,} requests: {read:,} tokens read, {written:,} written{cost}."
