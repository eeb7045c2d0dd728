"""The rubric judge: a language model that decides leaves, one or a tree of them a call."""

import re
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field

from wardround.benchmarks.clinsql import prompts
from wardround.benchmarks.clinsql.checks.leaf_verdicts import JUDGE, UNREADABLE_ONE
from wardround.benchmarks.clinsql.items.item import ClinTask, Tree, leaf_item
from wardround.benchmarks.clinsql.items.result_files import CsvTable, write_csv
from wardround.core.benchmark import JudgeContext
from wardround.core.errors import InfraError, MalformedAnswerError
from wardround.core.verdict import State, Verdict, state_of, verdict_key, voted
from wardround.models.client import LanguageModel
from wardround.models.messages import Message
from wardround.models.model import ConversationTooLongError, Model, ModelSettings
from wardround.models.prompts import fill
from wardround.scoring.rubrics.tree import RubricNode

_SCORE = re.compile(r"^\W*score\W*([01])\b", re.IGNORECASE | re.MULTILINE)
_BARE = re.compile(r"\W*([01])\W*")
# A score in front of its reason: "1 - only women are kept."
_LEADING = re.compile(
    r"^\W*([01])(?:\s*[-\u2013\u2014:.,;)*]+\s+|\s*\n\s*)(?=[^\d\s])(.+)", re.DOTALL
)
# The second item of a list whose first is not a score.
_SECOND = re.compile(r"^\W*2[.)]\s", re.MULTILINE)
_EXPLANATION = re.compile(r"^\W*explanation\W*\s(.+)", re.IGNORECASE | re.MULTILINE)
PROMPT_VERSION = 1
MOST_ROWS = 50
# Tokens of an answer: the published limit for a leaf; for a tree, this many for each leaf.
_LEAF_TOKENS, _TOKENS_A_GRADE = 1024, 100
# The most leaves in one prompt; a larger tree takes several. Published trees have about 15.
MOST_LEAVES = 20
_LOCAL = {"localhost", "127.0.0.1", "::1"}


class LeafGrade(BaseModel):
    """The grade of one requirement."""

    model_config = ConfigDict(defer_build=True)

    id: str = Field(description="the requirement's id")
    met: bool = Field(description="whether the requirement is met")
    reason: str = Field("", description="the reason in one sentence")


class TreeGrades(BaseModel):
    """The grades of all requirements."""

    model_config = ConfigDict(defer_build=True)

    grades: list[LeafGrade] = Field(description="a grade for each id")


def read_grade(text: str) -> tuple[bool, str]:
    r"""A judge's answer about one leaf: whether it is met, and why.

    Raises:
        MalformedAnswerError: there is no score in its form; the message says if a 1 is in it,
            which the published code counts as met.

    >>> read_grade("Score: 1\nExplanation: Only women are kept.")
    (True, 'Only women are kept.')
    >>> read_grade("0 - It keeps men as well.")
    (False, 'It keeps men as well.')
    """
    leading = None if _SECOND.search(text) else _LEADING.match(text)
    if leading and not _SCORE.search(text):
        return leading[1] == "1", " ".join(leading[2].split())
    match = _SCORE.search(text) or _BARE.fullmatch(text)
    if match is None:
        shown = " ".join(text.split())[:80]
        if "1" in text:
            raise MalformedAnswerError(f"{UNREADABLE_ONE}: {shown}")
        raise MalformedAnswerError(f"the judge's answer has no score: {shown}")
    explanation = _EXPLANATION.search(text)
    return match[1] == "1", explanation[1].strip() if explanation else ""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A query or its result, beside the gold's, as the judge reads them.

    Attributes:
        text: the query or result.
        gold: the gold's.
        note: a remark on rows left out of a long result; "" if nothing was.
    """

    text: str
    gold: str
    note: str = ""


def leaf_prompt(task: ClinTask, tree: Tree, leaf: RubricNode, candidate: Candidate) -> str:
    """The question to a judge about one leaf."""
    return fill(
        prompts.__name__,
        f"judge_{tree}.md",
        requirement=leaf.requirement,
        question=task.public.question,
        candidate=candidate.text,
        gold=candidate.gold,
    )


def tree_prompt(
    task: ClinTask, tree: Tree, leaves: Sequence[RubricNode], candidate: Candidate
) -> str:
    """The question to a judge about several leaves of a tree."""
    return fill(
        prompts.__name__,
        "judge_tree.md",
        subject="a BigQuery query" if tree == "sql" else "the result of a query",
        count=len(leaves),
        question=task.public.question,
        candidate=candidate.text,
        gold=candidate.gold,
        requirements="\n".join(f"{leaf.id}: {leaf.requirement}" for leaf in leaves),
    )


def results_candidate(result: CsvTable, gold: CsvTable) -> Candidate:
    """A result beside the gold's, each cut to its first rows."""
    left_out = max(len(result.rows) - MOST_ROWS, 0)
    note = f"the judge saw {MOST_ROWS} of {len(result.rows):,} rows" if left_out else ""
    return Candidate(_shown(result), _shown(gold), note)


def _shown(table: CsvTable) -> str:
    text = write_csv(replace(table, rows=table.rows[:MOST_ROWS])).rstrip("\n")
    more = len(table.rows) - MOST_ROWS
    if more <= 0:
        return text
    return f"{text}\n(and {more:,} more rows; {len(table.rows):,} rows in all)"


@dataclass(frozen=True, slots=True)
class Judge:
    """A judge's model, and how it is asked.

    Attributes:
        model: the model.
        votes: votes on each leaf.
        by_tree: whether one call decides all leaves of a tree, up to `MOST_LEAVES`.
    """

    model: LanguageModel
    votes: int = 1
    by_tree: bool = False

    async def verdicts(
        self,
        task: ClinTask,
        tree: Tree,
        leaves: Sequence[RubricNode],
        candidate: Candidate,
        context: JudgeContext,
    ) -> AsyncIterator[Verdict]:
        """Yields a verdict on each leaf that has none yet.

        A call that fails, or an answer in another form, leaves the leaves in it undecided.
        """
        open_items = {leaf.id: self._item(task, tree, leaf, candidate) for leaf in leaves}
        wanted = [leaf for leaf in leaves if not context.has(open_items[leaf.id].key)]
        if self.by_tree:
            for batch in _batches(wanted):
                model = self._bound(_TOKENS_A_GRADE * (len(batch) + 1), context)
                of_tree = _of_tree(model, task, tree, batch, candidate, open_items)
                async for verdict in of_tree:
                    yield verdict
            return
        model = self._bound(_LEAF_TOKENS, context)
        for leaf in wanted:
            async for verdict in self._of_leaf(model, task, tree, leaf, candidate, context):
                yield verdict

    def _bound(self, tokens: int, context: JudgeContext) -> Model:
        return with_limit(self.model, tokens).bind("judge", context.record, context.seed)

    async def _of_leaf(
        self,
        model: Model,
        task: ClinTask,
        tree: Tree,
        leaf: RubricNode,
        candidate: Candidate,
        context: JudgeContext,
    ) -> AsyncIterator[Verdict]:
        reasons: list[str] = []
        prompt = leaf_prompt(task, tree, leaf, candidate)

        async def ask(number: int) -> State:
            try:
                reply = await model.chat([Message("user", prompt)])
            except ConversationTooLongError as error:
                raise MalformedAnswerError(f"the judge cannot read so much: {error}") from None
            passed, reason = read_grade(reply.text)
            reasons.append(reason)
            return state_of(passed)

        item = self._item(task, tree, leaf, candidate)
        async for verdict in voted(item, context.known, ask, self.votes):
            explained = verdict.state != "undecided" and reasons
            yield replace(verdict, reason=_noted(reasons[-1], candidate)) if explained else verdict

    def _item(self, task: ClinTask, tree: Tree, leaf: RubricNode, candidate: Candidate) -> Verdict:
        how = (self.model.settings.name, self.votes, self.by_tree, PROMPT_VERSION)
        what = (tree, leaf.id, leaf.requirement, task.public.question)
        key = verdict_key(JUDGE, *how, *what, candidate.text, candidate.gold)
        return Verdict(leaf_item(tree, leaf.id), JUDGE, "undecided", key=key)


def _batches(leaves: Sequence[RubricNode]) -> Iterator[Sequence[RubricNode]]:
    """The leaves in groups that one prompt holds."""
    for first in range(0, len(leaves), MOST_LEAVES):
        yield leaves[first : first + MOST_LEAVES]


async def _of_tree(
    model: Model,
    task: ClinTask,
    tree: Tree,
    leaves: Sequence[RubricNode],
    candidate: Candidate,
    items: dict[str, Verdict],
) -> AsyncIterator[Verdict]:
    prompt = tree_prompt(task, tree, leaves, candidate)
    try:
        answer = await model.structured([Message("user", prompt)], TreeGrades)
    except (InfraError, MalformedAnswerError, ConversationTooLongError) as error:
        for leaf in leaves:
            yield replace(items[leaf.id], reason=str(error))
        return
    grades = {grade.id: grade for grade in answer.grades}
    for leaf in leaves:
        grade = grades.get(leaf.id)
        if grade is None:
            yield replace(items[leaf.id], reason="the judge's answer leaves it out")
        else:
            reason = _noted(grade.reason, candidate)
            yield replace(items[leaf.id], state=state_of(grade.met), reason=reason)


def with_limit(model: LanguageModel, tokens: int) -> LanguageModel:
    """A model whose answers have at most so many tokens, or fewer if its settings say so."""
    most = min(tokens, model.settings.max_tokens or tokens)
    return replace(model, settings=model.settings.model_copy(update={"max_tokens": most}))


def is_local(settings: ModelSettings) -> bool:
    """True if a model runs on this machine, as far as its settings tell."""
    return bool(settings.base_url) and urlsplit(settings.base_url or "").hostname in _LOCAL


def _noted(reason: str, candidate: Candidate) -> str:
    return f"{reason} ({candidate.note})" if candidate.note else reason
