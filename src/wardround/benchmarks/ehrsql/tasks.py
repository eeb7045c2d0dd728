"""EHRSQL tasks: the published files of EHRSQL 1.5 and of EHRSQL 2024, unchanged, with labels."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

from wardround.agents.pairs import Pair
from wardround.benchmarks.ehrsql.published import (
    ANSWER,
    DATA,
    LABEL,
    Rows,
    Tagged,
    answer_rows,
    data_of,
    only_file,
    texts_by_id,
)
from wardround.benchmarks.kit.published_files import (
    FileRecord,
    array_records,
    read_json,
    suite_of,
    validated,
    with_tasks,
)
from wardround.core.errors import UserError
from wardround.core.task import EVERY_TASK, Chosen, Defect, Suite, Task

NULL = "null"

_EXPRESSIONS = {"abs": "absolute", "rel": "relative", "mix": "mixed"}
# The kinds of the five time tags, by position.
_FILTERS = ("global", "global", "within", "exact", "exact")
_NO_PATIENT = re.compile(r"(?!.*(?:patient|\[)).*\{\w+\}.*", re.DOTALL)

# Fallback for files without tags. On EHRSQL 1.5 these patterns agree with the tags on 98% of the
# time expressions and 99% of the patient scopes.
_ONE_PATIENT = re.compile(r"(?:subject_id|uniquepid)\s*=\s*(?:'[^']*'|\d)", re.IGNORECASE)
_NO_RECORD = re.compile(
    r"\s*select distinct (?:cost\.cost|prescriptions\.route|medication\.routeadmin)\b",
    re.IGNORECASE,
)
_DATE = re.compile(r"strftime\('%y[^']*'\s*,[^()]*\)\s*[<>=]+\s*'\d", re.IGNORECASE)
_PART_OF_DATE = re.compile(r"strftime\('%[md][^']*'\s*,[^()]*\)\s*=\s*'\d", re.IGNORECASE)
_BEFORE_NOW = re.compile(r"datetime\(\s*current_time", re.IGNORECASE)
_VISIT = re.compile(
    r"(?:dischtime|outtime|hospitaldischargetime|unitdischargetime) is (?:not )?null",
    re.IGNORECASE,
)


def is_refusal(answer: str) -> bool:
    """True for `null` in lower case, with white space around it or without.

    >>> is_refusal(" null "), is_refusal("NULL")
    (True, False)
    """
    return answer.strip() == NULL


# The end of the records by published form: the paper's (3.2), and EHRSQL 2024's.
TIMES = {"ehrsql-1.5": "2105-12-31 23:59:00", "ehrsql-2024": "2100-12-31 23:59:00"}


@dataclass(frozen=True, slots=True)
class EhrsqlPublic:
    """The public part of a task: the question and the current time."""

    question: str
    now: str


@dataclass(frozen=True, slots=True)
class EhrsqlHidden:
    """The hidden part of a task, for the scorer only.

    Attributes:
        gold: the gold SQL, "null" for an unanswerable question, None for an unlabelled one.
        form: the published form of the file, which is also its grading.
        answer: the published answer's rows as texts, if there is one.
        dated: True if the file names the current time.
    """

    gold: str | None
    form: str
    answer: Rows | None = None
    dated: bool = False


EhrsqlTask: TypeAlias = Task[EhrsqlPublic, EhrsqlHidden]
_Question: TypeAlias = Task[Tagged, str | None]  # a question as published, and its gold


def load_tasks(path: Path, chosen: Chosen = EVERY_TASK) -> Suite:
    """Reads a published file, or a folder with one.

    A JSON array is EHRSQL 1.5. A folder with `data.json` is EHRSQL 2024: the labels are read
    from `label.json` and the answers from `answer.json` beside it, where they are.

    Args:
        path: the file or folder.
        chosen: the questions to read; labels and answers of others are not looked at.

    Raises:
        UserError: nothing of either form is there, or not one question can be read.
    """
    path = path.expanduser()
    folder = path if path.is_dir() else path.parent
    if (path.is_dir() or path.name in (DATA, LABEL, ANSWER)) and (folder / DATA).is_file():
        questions = chosen.of(with_tasks(_load_2024(folder), path))
        answers = _answers(folder / ANSWER, (question.id for question in questions.tasks))
        return _labelled(questions, "ehrsql-2024", answers)
    questions = with_tasks(_load_1_5(only_file(path) if path.is_dir() else path), path)
    return _labelled(chosen.of(questions), "ehrsql-1.5", {})


def _load_1_5(path: Path) -> Suite:
    items = read_json(path)
    if not isinstance(items, list):
        raise UserError(
            f"{path} holds no array of questions as EHRSQL 1.5 has it; name such a file, or the "
            f"folder of {DATA} for EHRSQL 2024."
        )
    return suite_of(array_records(items, str(path), "question"), _question_1_5, str(path))


def _question_1_5(record: FileRecord) -> _Question | Defect:
    tagged = validated(record, Tagged)
    return tagged if isinstance(tagged, Defect) else Task(tagged.id, tagged, tagged.query)


def _load_2024(folder: Path) -> Suite:
    labels = texts_by_id(folder / LABEL)
    suite = _questions_2024(folder / DATA, labels)
    asked = {task.id for task in suite.tasks}
    strangers = [
        Defect(str(folder / LABEL), f"{id} labels no question")
        for id in labels or ()
        if id not in asked
    ]
    return Suite(suite.tasks, (*suite.defects, *strangers), str(folder))


def _questions_2024(path: Path, labels: Mapping[str, str] | None) -> Suite:
    data = data_of(path)

    def question(record: FileRecord) -> _Question | Defect:
        tagged = validated(record, Tagged)
        if isinstance(tagged, Defect):
            return tagged
        if labels is not None and tagged.id not in labels:
            return Defect(record.where, f"{tagged.id} has no label in {LABEL}")
        return Task(tagged.id, tagged, None if labels is None else labels[tagged.id])

    questions = (data.shared() | each for each in data.data)
    return suite_of(array_records(questions, str(path), "question"), question, str(path))


def _answers(path: Path, ids: Iterable[str]) -> dict[str, Rows]:
    """The published answers to these questions, where there are any."""
    texts = texts_by_id(path) or {}
    return {id: answer_rows(texts[id], path, id) for id in ids if texts.get(id, NULL) != NULL}


def _labelled(questions: Suite, form: str, answers: Mapping[str, Rows]) -> Suite:
    tasks = (_task(question, form, answers.get(question.id)) for question in questions.tasks)
    return replace(questions, tasks=tuple(tasks))


def _task(question: _Question, form: str, answer: Rows | None) -> EhrsqlTask:
    public, gold = question.public, question.hidden
    return Task(
        public.id,
        EhrsqlPublic(public.question, public.current_time or TIMES[form]),
        EhrsqlHidden(gold, form, answer, public.current_time is not None),
        _labels(public, gold),
    )


def _labels(tagged: Tagged, gold: str | None) -> dict[str, str]:
    """Labels to break results down by; those that neither tags nor gold tell are left out."""
    tags = tagged.t_tag
    sql = "" if gold in (None, NULL) else gold
    labels = {
        "kind": {None: "unlabelled", NULL: "unanswerable"}.get(gold, "answerable"),
        "database": tagged.db_id,
        "template": tagged.q_tag or tagged.template,
        "scope": patient_scope(tagged.q_tag) if tagged.q_tag else sql and scope_of_query(sql),
        "time": sql and time_of_query(sql) if tags is None else time_expression(tags),
        "time_filters": "" if tags is None else time_filters(tags),
        "importance": tagged.importance or "",
        "department": departments(tagged.department),
    }
    return {name: value for name, value in labels.items() if value}


def load_labelled(path: Path) -> tuple[EhrsqlTask, ...]:
    """The labelled questions of EHRSQL 1.5 or EHRSQL 2024, in the file's order.

    Raises:
        UserError: nothing can be read there, or no question has a label.
    """
    labelled = tuple(task for task in load_tasks(path).tasks if task.hidden.gold)
    if not labelled:
        raise UserError(f"{path} has no labels to learn from; name a file or folder that has.")
    return labelled


def pairs_of(tasks: Iterable[EhrsqlTask]) -> tuple[Pair, ...]:
    """Labelled questions as pairs."""
    return tuple(
        Pair(task.public.question, None if task.hidden.gold == NULL else task.hidden.gold)
        for task in tasks
    )


def load_pairs(path: Path) -> tuple[Pair, ...]:
    """The labelled questions of a published file as pairs.

    Raises:
        UserError: as for `load_labelled`.
    """
    return pairs_of(load_labelled(path))


def patient_scope(template: str) -> str:
    """Classifies the patient scope of a question template: none, single or group (Table 7).

    >>> patient_scope("what is the intake method of {drug_name}?")
    'none'
    >>> patient_scope("count the number of {drug_name} prescription cases [time_filter_global1].")
    'group'
    """
    if "{patient_id}" in template:
        return "single"
    return "none" if _NO_PATIENT.fullmatch(template.rstrip("?.")) else "group"


def time_expression(tags: Sequence[str]) -> str:
    """Classifies the global time filters: absolute, relative, mixed, or none.

    >>> time_expression(["abs-year-since", "", "", "exact-last", ""])
    'absolute'
    """
    expressions = {_EXPRESSIONS[tag[:3]] for tag in tags[:2] if tag[:3] in _EXPRESSIONS}
    return " and ".join(sorted(expressions)) or "none"


def scope_of_query(sql: str) -> str:
    """Classifies the patient scope of a gold query, like `patient_scope`.

    >>> scope_of_query("SELECT COUNT(*) FROM admissions WHERE admissions.subject_id = 10")
    'single'
    """
    if _ONE_PATIENT.search(sql):
        return "single"
    return "none" if _NO_RECORD.match(sql) else "group"


def time_of_query(sql: str) -> str:
    """Classifies a gold query's global time filters, like `time_expression`.

    >>> time_of_query("SELECT 1 WHERE datetime(t) >= datetime(current_time,'-1 year')")
    'relative'
    """
    expressions = set()
    if _DATE.search(sql):
        expressions.add("absolute")
    if _BEFORE_NOW.search(sql):
        expressions.add("mixed" if _PART_OF_DATE.search(sql) else "relative")
    if _VISIT.search(sql):
        expressions.add("relative")
    return " and ".join(sorted(expressions)) or "none"


def time_filters(tags: Sequence[str]) -> str:
    """Lists the types of time filter in a question.

    >>> time_filters(["abs-year-since", "", "within-hosp", "", ""])
    'global and within'
    """
    kinds = [kind for kind, tag in zip(_FILTERS, tags, strict=False) if tag]
    return " and ".join(dict.fromkeys(kinds)) or "none"


def departments(source: str | Sequence[str] | None) -> str:
    """Lists departments, comma separated, from a list or the text of a list.

    >>> departments("['physician', 'insurance_review']")
    'physician, insurance review'
    """
    names = re.findall(r"[\w-]+", source) if isinstance(source, str) else source or []
    return ", ".join(name.replace("_", " ") for name in names if name != "-")
