"""Names that a user does not suggest before the agent does (EHR-ChatQA, A.3.2).

They are names that the agent has to find for the request after a turn: a generic, a class of
drugs, another test.
"""

from collections.abc import Sequence
from random import Random

from wardround.authoring.chatqa.instructions import Sentence, instruction
from wardround.authoring.chatqa.turns.turn import Turn
from wardround.benchmarks.chatqa.tasks import PublishedTask
from wardround.people.instruction_parser import read_instruction
from wardround.people.patterns import content_words

_MOST = 2  # names that a person keeps in mind


def names_to_withhold(
    turn: Turn, sentences: Sequence[Sentence], share: float, random: Random
) -> tuple[str, ...]:
    """The names that the user of a turn withholds; empty for most turns if the share is small.

    A name is left out if another sentence has a word of it, which could then not be said.
    """
    said = content_words(instruction(sentences))
    names = tuple(name for name in turn.withheld if not content_words(name) & said)
    return names if 0 < len(names) <= _MOST and random.random() < share else ()


def fault_of_withheld(task: PublishedTask) -> str:
    """The reason to drop a task whose user would say a withheld name, or keep back more than it."""
    if not task.withheld:
        return ""
    kept_back = read_instruction(task.instruction).withheld
    if kept_back != content_words(" ".join(task.withheld)):
        return "names that the user would not withhold"
    values = " ".join(str(row[0]).lower() for row in task.gold_answer)
    is_answer = any(name.lower() in values for name in task.withheld)
    return "withheld names that are the answer" if is_answer else ""
