"""Writes BIRD-Interact tasks in the published form."""

from collections.abc import Iterable
from typing import Any

from wardround.benchmarks.interact.tasks import InteractTask, Subtask
from wardround.benchmarks.kit.published_files import json_lines
from wardround.people.clarifying.kinds import published
from wardround.people.clarifying.secret import Ambiguity


def dump_tasks(tasks: Iterable[InteractTask]) -> bytes:
    """Serializes tasks with their ground truth in the published form, as JSON Lines."""
    return json_lines(map(published_record, tasks))


def in_file_order(ambiguities: Iterable[Ambiguity]) -> tuple[Ambiguity, ...]:
    """Sorts ambiguities in the order of task files: intent, implementation, masks."""
    return tuple(sorted(ambiguities, key=lambda a: (a.knowledge is not None, not a.critical)))


def published_record(task: InteractTask) -> dict[str, Any]:
    """Converts a task to the published form, with its ground truth."""
    hidden = task.hidden
    points = [(each, _point(each, task.public.request)) for each in hidden.ambiguities]
    return {
        "instance_id": task.id,
        "selected_database": task.public.database,
        "amb_user_query": task.public.request,
        **({"query": hidden.clear} if hidden.clear else {}),
        "user_query_ambiguity": {
            "critical_ambiguity": [
                point for each, point in points if each.knowledge is None and each.critical
            ],
            "non_critical_ambiguity": [
                point for each, point in points if each.knowledge is None and not each.critical
            ],
        },
        "knowledge_ambiguity": [
            {**point, "deleted_knowledge": each.knowledge}
            for each, point in points
            if each.knowledge is not None
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


def _point(ambiguity: Ambiguity, request: str) -> dict[str, Any]:
    snippets = ambiguity.fragments
    return {
        "term": ambiguity.term,
        "sql_snippet": snippets[0] if len(snippets) == 1 else list(snippets),
        "is_mask": ambiguity.term.lower() not in request.lower(),
        "type": published(ambiguity.kind),
        **({"meaning": ambiguity.meaning} if ambiguity.meaning else {}),
        **({"other_readings": list(ambiguity.otherwise)} if ambiguity.otherwise else {}),
    }


def _grading(subtask: Subtask) -> dict[str, Any]:
    conditions = subtask.conditions
    return {
        "category": {"BI": "Query", "DM": "Management"}[subtask.category],
        "conditions": {
            "decimal": -1 if conditions.decimals is None else conditions.decimals,
            "distinct": conditions.distinct,
            "order": conditions.order,
        },
        "sol_sql": list(subtask.gold),
        "test_cases": list(subtask.tests),
        "external_knowledge": list(subtask.knowledge),
    }
