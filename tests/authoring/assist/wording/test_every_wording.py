"""Every template of the wordings composes with every kind of its slots, alike in both languages."""

import re
from collections.abc import Callable, Iterator

import pytest

from tests.authoring.assist.wording import made_turns
from tests.cases import one_in
from wardround.authoring.assist.gates.chinese_twins import chinese_faults
from wardround.authoring.assist.planning.drafts import Draft
from wardround.benchmarks.assist.sessions import LANGUAGES

# Slots that were left, signs that stand twice, and a sign behind a space.
BROKEN = re.compile(
    r"[{}]|([.,;:?!])\s*[.,;:?!]|([，。；：？、])[，。；：？、]|\s[.,;?!，。；？]|  "
)
MAKERS = (
    made_turns.lookups,
    made_turns.gatherings,
    made_turns.harms,
    made_turns.reasonings,
    made_turns.orders,
)


@pytest.mark.parametrize("maker", MAKERS)
def test_every_text_is_whole_and_says_the_same_in_chinese(
    maker: Callable[[], Iterator[tuple[str, list[Draft]]]],
) -> None:
    count = 0
    for label, drafts in one_in(4, list(maker())):
        texts = made_turns.texts(drafts)
        items = [item.texts for item in texts.items]
        for text in (texts.question, texts.explicit, texts.answer, *items):
            count += 1
            assert not [text[lang] for lang in LANGUAGES if BROKEN.search(text[lang])], label
            assert not list(chinese_faults(text)), (label, text)
    assert count > 25


def test_every_rule_that_is_worded_otherwise_is_composed() -> None:
    actions = {bound.rule.action for bound in made_turns.bound_rules()}
    assert actions >= {"hold", "stop", "reduce", "replace", "order", "resupply"}
