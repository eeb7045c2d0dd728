"""Writes BIRD-Interact tasks in the published form."""

from collections.abc import Iterable
from typing import Any

from wardround.benchmarks.interact.tasks import InteractTask, Subtask
from wardround.benchmarks.kit.published_files import json_lines
from wardround.people.clarifying.kinds import published
from wardround.people.clarifying.secret import Ambiguity


def dump_tasks(tasks: Iterable[InteractTask]) -> bytes:
    """Tasks in the published form with their ground truth, as JSON Lines."""
    return json_lines(map(published_record, tasks))


def published_record(task: InteractTask) -> dict[str, Any]:
    """A task in the published form, ground truth and all."""
    hidden = task.hidden
    return {
        "instance_id": task.id,
        "selected_database": task.public.database,
        "amb_user_query": task.public.request,
        **({"query": hidden.clear} if hidden.clear else {}),
        "user_query_ambiguity": {
            "critical_ambiguity": _written(task, critical=True),
            "non_critical_ambiguity": _written(task, critical=False),
        },
        "knowledge_ambiguity": [
            {**_point(one, task.public.request), "deleted_knowledge": one.knowledge}
            for one in hidden.ambiguities
            if one.knowledge is not None
        ],
        "preprocess_sql": list(hidden.before),
        "clean_up_sqls": list(hidden.after),
        **_grading(hidden.first),
        "follow_up": hidden.second
        and {
            "query": hidden.second.request,
            "type": published(hidden.second.follow_up),
            **_grading(hidden.second),
        },
    }


def _written(task: InteractTask, critical: bool) -> list[dict[str, Any]]:
    return [
        _point(one, task.public.request)
        for one in task.hidden.ambiguities
        if one.knowledge is None and one.critical == critical
    ]


def _point(one: Ambiguity, request: str) -> dict[str, Any]:
    snippets = one.fragments
    return {
        "term": one.term,
        "sql_snippet": snippets[0] if len(snippets) == 1 else list(snippets),
        "is_mask": one.term.lower() not in request.lower(),
        "type": published(one.kind),
        **({"meaning": one.meaning} if one.meaning else {}),
        **({"other_readings": list(one.otherwise)} if one.otherwise else {}),
    }


def _grading(subtask: Subtask) -> dict[str, Any]:
    conditions = subtask.conditions
    decimals = -1 if conditions.decimals is None else conditions.decimals
    return {
        "category": {"BI": "Query", "DM": "Management"}[subtask.category],
        "conditions": {
            "decimal": decimals,
            "distinct": conditions.distinct,
            "order": conditions.order,
        },
        "sol_sql": list(subtask.gold),
        "test_cases": list(subtask.tests),
        "external_knowledge": list(subtask.knowledge),
    }
