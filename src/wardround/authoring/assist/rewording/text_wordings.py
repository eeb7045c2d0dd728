"""Rewords one text in one language; the second and third request tell why a wording was refused.

Source: PhysAssistBench, appendix H (translation there and back, with a check of the meaning).
"""

from asyncio import Runner
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain

from wardround.authoring.assist.rewording.fidelity import Refusal, changed_facts
from wardround.authoring.assist.rewording.rewriter import Request, Rewriter, Speech
from wardround.authoring.rewording.comparison import plain

TRIES = 3


@dataclass(frozen=True, slots=True)
class TextWordings:
    """Rewords the texts of one speaker.

    Attributes:
        rewriter: the models.
        runner: runs their requests.
        speech: the prompts of the speaker.
    """

    rewriter: Rewriter
    runner: Runner
    speech: Speech

    def reworded(
        self,
        request: Request,
        faults: Callable[[str], Iterator[Refusal]],
        refuse: Callable[[str], None],
    ) -> str | None:
        """The first wording that passes; None if none does.

        Args:
            request: the text.
            faults: the faults of a wording that programs find.
            refuse: called with the reason of each refusal.
        """
        refused: list[Refusal] = []
        for _ in range(TRIES):
            text = self.runner.run(self.rewriter.wording(request, self.speech, refused))
            refusal = self._refusal(request, text, faults)
            if refusal is None:
                return text
            refuse(refusal.reason)
            refused.append(refusal)
        return None

    def _refusal(
        self, request: Request, text: str | None, faults: Callable[[str], Iterator[Refusal]]
    ) -> Refusal | None:
        """The first reason to refuse a wording."""
        if text is None:
            return Refusal("the writer gives no wording")
        if plain(text) == plain(request.old[request.language]):
            return Refusal("the writer changes nothing")
        return next(chain(faults(text), self._meaning_faults(request, text)), None)

    def _meaning_faults(self, request: Request, text: str) -> Iterator[Refusal]:
        """The reasons why a wording says something else; a Chinese one is translated back."""
        english, name = request.old["en"], request.name
        if request.language == "zh":
            back = self.runner.run(self.rewriter.english(name, text, self.speech))
            if back is None:
                yield Refusal("the writer gives no translation")
                return
            if change := next(changed_facts(english, back, "en"), None):
                yield Refusal("the translation back has other facts", change.words)
                return
            text = back
        same = self.runner.run(self.rewriter.same(name, [english, text], self.speech))
        if same is None:
            yield Refusal("the checker gives no verdict")
        elif not same:
            yield Refusal("the checker says that something else is said")
