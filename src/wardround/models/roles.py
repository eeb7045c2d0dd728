"""The models of a run by role, with the cache and the recording that they share."""

from collections.abc import Mapping
from pathlib import Path

from wardround.core.errors import UserError
from wardround.models.cache import ResponseCache
from wardround.models.client import LanguageModel, open_model, replayed
from wardround.models.recording import Recorder, Recording
from wardround.models.settings import ModelSettings


class RoleModels:
    """Opens each role's model once.

    Args:
        named: the models' settings by role.
        cache: a file of cached answers.
        record: a file that all exchanges are appended to.
        replay: a recorded file that answers in place of the providers.

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
        self._cache = ResponseCache(cache) if cache else None
        self._recorder = Recorder(record) if record else None
        self._recording = Recording(replay) if replay else None
        self._open: dict[str, LanguageModel] = {}

    def open(self, role: str) -> LanguageModel:
        """Returns a role's model.

        Raises:
            UserError: the role has no model, or its provider cannot be used.
        """
        if role not in self._open:
            self._open[role] = self._opened(role)
        return self._open[role]

    def find(self, role: str) -> LanguageModel | None:
        """Returns a role's model, or None if it has none."""
        return self.open(role) if role in self._named else None

    async def close(self) -> None:
        """Closes connections and files; to be awaited in the event loop that used them."""
        for model in self._open.values():
            await model.close()
        for file in (self._cache, self._recorder):
            if file is not None:
                file.close()

    def _opened(self, role: str) -> LanguageModel:
        if role not in self._named:
            raise UserError(
                f"The {role} has no language model; name one with --model, or with "
                f"--role-model {role}=PROVIDER:NAME."
            )
        if self._recording is not None:
            return replayed(self._named[role], self._recording)
        return open_model(self._named[role], cache=self._cache, recorder=self._recorder)
