"""Has a language model word the shipped rubric items anew, for `bench.assist_items`.

`python -m bench.assist_items.reworded openai:local,base_url=http://127.0.0.1:8000/v1 2` appends to
`reworded.jsonl` until every fourth item of each language from the third on stands there; it can be
stopped and begun again. A wording that is the item itself is left out. The programs were mended
after a look at the wordings from 0 on; nobody looks at the others.
"""

import asyncio
import sys
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple, get_args

import orjson

from bench.assist_items import REWORDED, reworded
from wardround.apps.command_line.choices import models_by_role
from wardround.benchmarks.assist.sessions import Language
from wardround.benchmarks.assist.tasks import shipped_tasks
from wardround.core.declaration import Role
from wardround.models.messages import Message
from wardround.models.roles import RoleModels

EVERY = 4
REQUESTS = {
    "en": "Word this criterion for grading a doctor's answer in other English words. Keep its "
    "meaning, all numbers, units, dates and drug names. Write one sentence and nothing else.\n\n",
    "zh": "请用另外的中文说法改写下面这条医生回答的评分标准，保持意思、数字、单位、日期和药名不变。"
    "只写一句话，不要写别的。\n\n",
}


class Item(NamedTuple):
    """A rubric item of a shipped session in one language; `first` is the first item worded."""

    id: str
    item: str
    language: Language
    first: int
    text: str


def items(language: Language) -> Iterator[Item]:
    """The shipped items in order."""
    for task in shipped_tasks("hand_written").tasks:
        for turn, gold in enumerate(task.hidden.turns):
            for place, text in enumerate(gold.rubric[language]):
                yield Item(task.id, f"turn{turn}:{place}", language, 0, text)


async def main(model: str, first: int) -> None:
    """Appends the missing wordings of every fourth item from the first on."""
    role = Role("writer", "words items anew", 0.7)
    models = RoleModels(models_by_role([role], {"name": None, "base_url": None}, [model]))
    writer = models.open("writer").bind("writer", lambda asked: None, 1)
    with REWORDED.open("ab") as file:
        for language in get_args(Language):
            known = reworded(language, first)
            for each in islice(items(language), first, None, EVERY):
                if f"{each.id} {each.item}" in known:
                    continue
                request = Message("user", REQUESTS[language] + each.text)
                text = (await writer.chat([request])).text.strip()
                if text and text != each.text:
                    file.write(
                        orjson.dumps(each._replace(first=first, text=text)._asdict()) + b"\n"
                    )
                    file.flush()
    await models.close()


if __name__ == "__main__":
    asyncio.run(main(f"writer={sys.argv[1]}", int(sys.argv[2])))
