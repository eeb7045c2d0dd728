"""Rubric items about one typed fact, which the maker of a session stores with them."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Literal

from pydantic import AfterValidator

from wardround.benchmarks.assist.checks.items import Term, Wanted
from wardround.benchmarks.kit.checks import Check
from wardround.core.packaged_data import read_rows, split_cell
from wardround.ehr.text.mentions import mentions


def _as_mentioned(term: Term) -> Term:
    """A term by the name that its mentions in a text have, however it is spelled."""
    whole = (0, len(term.name))
    names = [each.name for each in mentions(term.name, term.kind) if each.span == whole]
    return Term(kind=term.kind, name=names[0]) if names else term


class FactItem(Check):
    """A fact that an answer must give, or must not.

    Attributes:
        aspect: the fact's name in aspects.tsv.
        subject: the test, drug or service that it is a fact of; of a rank, the other of the two.
        quantity: its value, if that is an amount.
        date: its value, if that is a day, as YYYY-MM-DD.
        term: its value, if that is a term.
        word: its value, if that is a word of words.tsv, a code, an identifier or a year.
        forbidden: the answer must not give it.
        earned: it passes only beside another item of the turn that passes.
        within: the days from now in which an action must be; None for any time.
    """

    kind: Literal["fact"] = "fact"
    aspect: str
    subject: Annotated[Term, AfterValidator(_as_mentioned)] | None = None
    quantity: Wanted | None = None
    date: str = ""
    term: Annotated[Term, AfterValidator(_as_mentioned)] | None = None
    word: str = ""
    forbidden: bool = False
    earned: bool = False
    within: int | None = None


@dataclass(frozen=True, slots=True)
class Aspect:
    """An aspect of a record.

    Attributes:
        value: the kind of its values.
        subjects: the kinds of term that it is of.
        cues: names of words that its values stand with.
        rivals: names of words that values of other aspects stand with.
        bare: a value without such words is one of the aspect; else only a right one is.
        several: an answer may give several values.
    """

    value: str
    subjects: tuple[str, ...]
    cues: tuple[str, ...]
    rivals: tuple[str, ...]
    bare: bool
    several: bool


@cache
def aspects() -> Mapping[str, Aspect]:
    """The aspects by name.

    >>> aspects()["given day"].cues, aspects()["sex"].bare
    (('given', 'latest'), True)
    """
    return {
        name: Aspect(
            value, split_cell(subject), split_cell(cues), split_cell(rivals),
            bare == "yes", several == "yes",
        )
        for name, value, subject, cues, rivals, bare, several in read_rows(
            __package__, "aspects.tsv"
        )
    }  # fmt: skip
