"""The models of a run by role, with their shared cache and recording."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from wardround.core.errors import UserError
from wardround.models.model import ModelSettings

# Imported late: a run without models needs none of these.
if TYPE_CHECKING:
    from wardround.models.cache import ResponseCache
    from wardround.models.client import LanguageModel
    from wardround.models.exchange import Answer, Request
    from wardround.models.recording import Recorder, Recording


class Models(Protocol):
    """Models by role."""

    def open(self, role: str) -> "LanguageModel":
        """Returns a role's model.

        Raises:
            UserError: the role has no model, or its provider cannot be used.
        """
        ...

    def find(self, role: str) -> "LanguageModel | None":
        """Returns a role's model, or None if it has none."""
        ...

    async def close(self) -> None:
        """Closes connections and files."""
        ...


class RoleModels:
    """Opens each role's model once.

    Args:
        named: the models' settings by role.
        cache: a file of cached answers.
        record: a file that all exchanges are appended to.
        replay: a recorded file that replaces the providers.

    Raises:
        UserError: a file cannot be opened.
    """

    def __init__(
        self,
        named: Mapping[str, ModelSettings],
        *,
        cache: Path | None = None,
        record: Path | None = None,
        replay: Path | None = None,
    ) -> None:
        self._named = named
        self._cache = _opened_cache(cache) if cache else None
        self._recorder = _opened_recorder(record) if record else None
        self._recording = _opened_recording(replay) if replay else None
        self._open: dict[str, LanguageModel] = {}

    def open(self, role: str) -> "LanguageModel":
        """Returns a role's model.

        Raises:
            UserError: the role has no model, or its provider cannot be used.
        """
        if role not in self._open:
            self._open[role] = self._opened(role)
        return self._open[role]

    def find(self, role: str) -> "LanguageModel | None":
        """Returns a role's model, or None if it has none."""
        return self.open(role) if role in self._named else None

    async def close(self) -> None:
        """Closes connections and files; to be awaited in the event loop that used them."""
        for model in self._open.values():
            await model.close()
        for file in (self._cache, self._recorder):
            if file is not None:
                file.close()

    def _opened(self, role: str) -> "LanguageModel":
        if role not in self._named:
            raise UserError(
                f"The {role} has no language model; name one with --model, or with "
                f"--role-model {role}=PROVIDER:NAME."
            )
        from wardround.models.client import open_model, replayed

        if self._recording is not None:
            return replayed(self._named[role], self._recording)
        return open_model(self._named[role], cache=self._cache, recorder=self._recorder)


@dataclass(frozen=True, slots=True)
class UnusedModels:
    """Models that are never asked, as in a replayed trial; opening them needs no key."""

    named: Mapping[str, ModelSettings] = field(default_factory=dict)

    def open(self, role: str) -> "LanguageModel":
        """A model that refuses all requests."""
        from wardround.models.client import LanguageModel

        settings = self.named.get(role, ModelSettings(name="none"))
        return LanguageModel(settings, _refuse)

    def find(self, role: str) -> "LanguageModel | None":
        """A role's model, or None if none was named."""
        return self.open(role) if role in self.named else None

    async def close(self) -> None:
        """Does nothing."""


async def _refuse(request: "Request") -> "Answer":
    raise UserError("Language models can only be called during a run; start a run.")


def _opened_cache(path: Path) -> "ResponseCache":
    from wardround.models.cache import ResponseCache

    return ResponseCache(path)


def _opened_recorder(path: Path) -> "Recorder":
    from wardround.models.recording import Recorder

    return Recorder(path)


def _opened_recording(path: Path) -> "Recording":
    from wardround.models.recording import Recording

    return Recording(path)
