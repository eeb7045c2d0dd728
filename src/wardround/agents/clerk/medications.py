"""Sentences about orders of drugs, and about the doses that were given."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from wardround.agents.clerk.names import class_members
from wardround.agents.clerk.question import Question
from wardround.agents.clerk.results import Medication
from wardround.agents.clerk.wordings import listed, status_name, term, time_words, worded
from wardround.ehr.text.mentions import mentions

_MOST = 4  # dosages of a drug in an answer
_MOST_LISTED = 60  # drugs of a whole list


@dataclass(frozen=True, slots=True)
class SameDosage:
    """Entries of one drug with one dosage, newest first."""

    entries: tuple[Medication, ...]

    @property
    def newest(self) -> Medication:
        """The newest of them."""
        return self.entries[0]

    @property
    def first(self) -> str:
        """The first time."""
        return min(each.start for each in self.entries)

    @property
    def last(self) -> str:
        """The last end, or the last time without ends."""
        return max(each.end or each.start for each in self.entries)


def order_sentences(
    question: Question, orders: Sequence[Medication], drugs: frozenset[str]
) -> Iterator[str]:
    """Sentences about the orders of the named drugs, or of all drugs if none is named."""
    language = question.language
    if not drugs:
        newest = {each.name: each for each in reversed(orders)}
        shown = [f"{_name(question, each)} {each.dosage}" for each in newest.values()]
        names = listed(language, shown[::-1][:_MOST_LISTED])
        yield worded(language, "ordered_list" if names else "nothing", list=names)
        return
    for group in _of_drugs(question, orders, drugs):
        if isinstance(group, str):
            yield group
            continue
        again = group.newest.start if group.newest.start != group.first else ""
        end = group.newest.end and worded(language, "until", end=time_words(group.last))
        yield worded(
            language,
            "order",
            name=_name(question, group.newest),
            dosage=group.newest.dosage,
            status=status_name(language, group.newest.status),
            start=time_words(group.first),
            end=end,
            again=again and worded(language, "renewed", time=time_words(again)),
        )


def dose_sentences(
    question: Question, doses: Sequence[Medication], drugs: frozenset[str]
) -> Iterator[str]:
    """Sentences about the doses of the named drugs, or of all drugs if none is named."""
    language = question.language
    if not drugs:
        shown = dict.fromkeys(f"{_name(question, each)} {each.dosage}" for each in doses)
        names = listed(language, list(shown)[:_MOST_LISTED])
        yield worded(language, "given_list" if names else "nothing", list=names)
        return
    for group in _of_drugs(question, doses, drugs):
        if isinstance(group, str):
            yield group
            continue
        yield worded(
            language,
            "dose" if len(group.entries) > 1 else "given_once",
            name=_name(question, group.newest),
            dosage=group.newest.dosage,
            status=status_name(language, group.newest.status),
            times=len(group.entries),
            last=time_words(group.last),
            first=time_words(group.first),
        )


def generics_of(entry: Medication) -> frozenset[str]:
    """The generic names of an entry's drug."""
    return frozenset(mention.name for mention in mentions(entry.name, "drug"))


def wanted_drugs(question: Question) -> frozenset[str]:
    """The generic names of the drugs and classes of a question; none for all drugs."""
    classes = (class_members(name) for name in question.names("class"))
    return frozenset(question.names("drug")).union(*classes)


def _of_drugs(
    question: Question, entries: Sequence[Medication], drugs: frozenset[str]
) -> Iterator[SameDosage | str]:
    """The entries of some drugs by dosage; a sentence for a named drug that has none."""
    by_dosage: dict[tuple[str, str], list[Medication]] = {}
    seen: set[str] = set()
    for each in entries:
        generics = generics_of(each) or {each.name.lower()}
        if matching := {drug for drug in drugs if any(_is_one(drug, name) for name in generics)}:
            seen |= matching
            by_dosage.setdefault((each.name, each.dosage), []).append(each)
    groups = [SameDosage(tuple(same)) for same in by_dosage.values()]
    yield from groups[: _MOST * max(len(seen), 1)]
    yield from _unseen(question, seen, has_entries=bool(groups))


def _is_one(drug: str, name: str) -> bool:
    return drug == name or set(drug.split()) <= set(name.split())


def _unseen(question: Question, seen: set[str], *, has_entries: bool) -> Iterator[str]:
    """Sentences on named drugs without an entry, or on the named class if no drug has one."""
    language = question.language
    named = question.names("drug")
    for drug in named:
        if drug not in seen:
            yield worded(language, "not_found", name=term(language, drug, "drug"))
    if not named and not has_entries:
        yield worded(language, "not_found", name=listed(language, question.names("class")))


def _name(question: Question, entry: Medication) -> str:
    return term(question.language, entry.name, "drug")
