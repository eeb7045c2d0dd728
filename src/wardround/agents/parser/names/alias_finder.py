"""Finds values by other names: brands, generics, lay terms and parts of names."""

from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from wardround.agents.parser.columns import Domain
from wardround.agents.parser.names.alias_index import PART, SAME_DRUG, AliasIndex
from wardround.agents.parser.names.name_parts import IsPart, at_an_end
from wardround.agents.parser.names.value_index import AliasMatch, Mention, ValueIndex
from wardround.agents.parser.question_reader import Reading
from wardround.agents.parser.tokens import Word, number
from wardround.ehr.terms.names import salts
from wardround.ehr.text.mentions import find_drugs

_MAX_WORDS = 6

# Shorter names count only in capitals, as abbreviations.
_MIN_LETTERS = 3


class AliasFinder:
    """Finds mentions of values by names that are not their own.

    Args:
        index: The values.
        known: Words of training questions that are not part of names.
        is_part: Whether a part of a name can stand for the whole name.
    """

    def __init__(
        self, index: ValueIndex, known: frozenset[str], is_part: IsPart = at_an_end
    ) -> None:
        self._index = AliasIndex(index, is_part)
        self._known = known

    def is_unknown(self, word: Word) -> bool:
        """True if a word may be part of a name, because no training question had it."""
        is_word = any(map(str.isalpha, word.text)) and number(word.text) is None
        return is_word and word.text not in self._known

    @cached_property
    def words(self) -> Collection[str]:
        """The words of training questions and of names."""
        return self._known | self._index.names_by_word.keys()

    def find(self, reading: Reading) -> list[list[Mention]]:
        """Alternative lists of mentions, each from left to right.

        Each alternative resolves aliases in one domain where it can, because the questions that
        the classifiers learned from mask exact names, which are mostly of one domain.

        Args:
            reading: The question with its exact mentions.
        """
        mentions = self._all_mentions(reading)
        domains = dict.fromkeys(domain for mention in mentions for domain in mention.aliases)
        return [[_restricted(mention, domain) for mention in mentions] for domain in domains]

    def has_unknown_words(self, reading: Reading) -> bool:
        """True if a question has unknown words outside of its mentions and times."""
        spans = [(mention.first, mention.last) for mention in reading.mentions]
        spans += [(time.first, time.last) for time in reading.times]
        covered = {at for first, last in spans for at in range(first, last)}
        return any(
            self.is_unknown(word) for at, word in enumerate(reading.words) if at not in covered
        )

    def absent_drugs(self, reading: Reading) -> list[str]:
        """The ingredients of the drugs in a question that the database does not have."""
        covered = {at for mention in reading.mentions for at in range(mention.first, mention.last)}
        return [
            drug.name
            for drug in _drug_mentions(reading)
            if drug.first not in covered and drug.ingredients not in self._index.values_by_drug
        ]

    def _all_mentions(self, reading: Reading) -> list[Mention]:
        mentions = list(reading.mentions)
        for drug in _drug_mentions(reading):
            if values := self._index.values_by_drug.get(drug.ingredients):
                alias = AliasMatch(" and ".join(sorted(drug.ingredients)), SAME_DRUG)
                aliases = dict.fromkeys(values, alias)
                mentions = _with_mention(Mention(drug.first, drug.last, values, aliases), mentions)
        for mention in self._other_mentions(reading):
            is_part = any(alias.probability == PART for alias in mention.aliases.values())
            if not is_part or not any(_same_span(mention, item) for item in mentions):
                mentions = _with_mention(mention, mentions)
        return sorted(mentions, key=lambda mention: mention.first)

    def _other_mentions(self, reading: Reading) -> Iterator[Mention]:
        """Aliases of things other than drugs, the longest at each position."""
        first = 0
        while first < len(reading.words):
            mention = self._longest_at(reading, first)
            if mention:
                yield mention
            first = mention.last if mention else first + 1

    def _longest_at(self, reading: Reading, first: int) -> Mention | None:
        for last in range(min(first + _MAX_WORDS, len(reading.words)), first, -1):
            span = reading.words[first:last]
            text = reading.question[span[0].start : span[-1].end]
            if not self._may_be_name(span) or (len(text) < _MIN_LETTERS and not text.isupper()):
                continue
            if any(first < time.last and time.first < last for time in reading.times):
                continue
            unknown = [self.is_unknown(word) for word in span if word.text != "-"]
            values, alias = self._index.resolve(
                text, is_bounded=unknown[0] and unknown[-1], is_unknown=all(unknown)
            )
            if values:
                return Mention(first, last, values, dict.fromkeys(values, alias))
        return None

    def _may_be_name(self, span: Sequence[Word]) -> bool:
        is_bounded = span[0].text.isalnum() and span[-1].text.isalnum()
        return is_bounded and any(self.is_unknown(word) for word in span)


class _DrugMention(NamedTuple):
    first: int
    last: int
    ingredients: frozenset[str]

    @property
    def name(self) -> str:
        return " and ".join(sorted(self.ingredients))


def _drug_mentions(reading: Reading) -> Iterator[_DrugMention]:
    """The drugs of a question, with the salts written behind them."""
    tokens = reading.words
    for drug in find_drugs(reading.question):
        inside = [
            n for n, word in enumerate(tokens) if word.start < drug.end and drug.start < word.end
        ]
        if inside:
            last = inside[-1] + 1
            while last < len(tokens) and tokens[last].text in salts():
                last += 1
            yield _DrugMention(inside[0], last, frozenset(drug.generics))


def _restricted(mention: Mention, domain: Domain) -> Mention:
    """The mention with the values of one domain only, if it is an alias there."""
    if domain not in mention.aliases:
        return mention
    aliases = {domain: mention.aliases[domain]}
    return mention._replace(values={domain: mention.values[domain]}, aliases=aliases)


def _same_span(mention: Mention, second: Mention) -> bool:
    return (mention.first, mention.last) == (second.first, second.last)


def _with_mention(mention: Mention, mentions: Sequence[Mention]) -> list[Mention]:
    """Add a mention in place of those inside it; merge the domains of equal spans."""
    over = [item for item in mentions if item.first < mention.last and mention.first < item.last]
    if any(item.first < mention.first or mention.last < item.last for item in over):
        return list(mentions)
    for entry in over:
        if _same_span(entry, mention):
            new = {domain: m for domain, m in mention.aliases.items() if domain not in entry.values}
            values = {**mention.values, **entry.values}
            mention = Mention(entry.first, entry.last, values, {**new, **entry.aliases})
    return [*(item for item in mentions if item not in over), mention]
