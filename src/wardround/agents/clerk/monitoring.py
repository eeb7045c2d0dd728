"""The tests that treatment with a drug is monitored by, and its known risks."""

from collections.abc import Iterable, Iterator, Mapping
from functools import cache

from wardround.agents.clerk.question import Question
from wardround.agents.clerk.wordings import listed, term, worded
from wardround.core.packaged_data import read_rows, split_cell
from wardround.ehr.terms.drugs import drug_class

_MOST, _MOST_DRUGS = 6, 4  # tests, and drugs whose risks are told


def monitored_by(drugs: Iterable[str]) -> tuple[str, ...]:
    """The tests of the classes of some drugs, the most often named first.

    >>> monitored_by(["spironolactone"])
    ('potassium', 'creatinine')
    """
    classes = dict.fromkeys(group.name for drug in sorted(drugs) for group in drug_class(drug))
    tests = [test for name in classes for test in _tests().get(name, ())]
    return tuple(sorted(dict.fromkeys(tests), key=lambda test: -tests.count(test)))[:_MOST]


def risk_sentences(question: Question) -> Iterator[str]:
    """Sentences about the known side effects of the drugs that a question names."""
    language = question.language
    for drug in question.names("drug")[:_MOST_DRUGS]:
        effects = dict.fromkeys(name for group in drug_class(drug) for name in group.side_effects)
        if effects:
            risks = listed(language, (term(language, name, "diagnosis") for name in effects))
            yield worded(language, "risk", drug=term(language, drug, "drug"), list=risks)


@cache
def _tests() -> Mapping[str, tuple[str, ...]]:
    return {name: split_cell(tests) for name, tests in read_rows(__package__, "monitoring.tsv")}
