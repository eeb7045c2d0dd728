"""The agent's briefing and first request, by mode."""

from collections.abc import Iterable, Mapping

import orjson

from wardround.benchmarks.interact import prompts
from wardround.benchmarks.interact.declaration import InteractOptions
from wardround.benchmarks.interact.open_databases import OpenDatabase
from wardround.benchmarks.interact.prices import PRICES
from wardround.benchmarks.interact.tasks import InteractTask
from wardround.benchmarks.kit.agent_texts import limit_words
from wardround.core.limits import Budget, Limits
from wardround.core.task import Briefing
from wardround.core.tools import Toolbox
from wardround.ehr.knowledge import all_knowledge
from wardround.models.prompts import fill


def request_of(
    task: InteractTask, options: InteractOptions, grafts: Mapping[str, str]
) -> tuple[str, int]:
    """Returns a conversation's request and the number of questions the user answers (4.1).

    With grafting, the request includes another run's questions and answers (5.2).
    """
    if options.mode == "clear":
        return task.hidden.clear or task.public.request, 0
    if grafts:
        return f"{task.public.request}\n{grafts.get(task.id, '')}".strip(), 0
    return task.public.request, task.hidden.budgeted + options.patience


def conversation_briefing(
    task: InteractTask,
    options: InteractOptions,
    limits: Limits,
    tools: Toolbox,
    opened: OpenDatabase,
    questions: int,
) -> Briefing:
    """Builds the briefing of c-Interact, with schema, meanings and unmasked knowledge (4.1).

    It states the trial's limits and the number of questions that the user answers.
    """
    facts = _facts(task, options)
    rules = fill(
        prompts.__name__,
        "conversation.md",
        questions=questions,
        schema=opened.schema,
        meanings=_lines(f"{name}: {text}" for name, text in opened.meanings.all().items()),
        knowledge=_lines(orjson.dumps(entry).decode() for entry in all_knowledge(opened.knowledge)),
        **facts,
        **limit_words(limits),
    )
    return Briefing(rules, tools.specs, facts)


def action_briefing(
    task: InteractTask,
    options: InteractOptions,
    limits: Limits,
    tools: Toolbox,
    budget: Budget | None,
) -> Briefing:
    """Builds the briefing of a-Interact, without schema and knowledge (4.2).

    It states the trial's limits, and prices and budget unless actions are free.
    """
    facts = _facts(task, options)
    rules = fill(
        prompts.__name__,
        "actions.md",
        prices=", ".join(f"{name} {price:g}" for name, price in PRICES.items()),
        budget=f"{budget.total:g}" if budget else "",
        **facts,
        **limit_words(limits),
    )
    return Briefing(rules, tools.specs, facts)


def _lines(texts: Iterable[str]) -> str:
    return "\n".join(f"- {text}" for text in texts)


def _facts(task: InteractTask, options: InteractOptions) -> dict[str, str]:
    return {
        "database": task.public.database,
        "dialect": "postgres",
        "mode": options.mode,
        "current_time": options.current_time,
    }
