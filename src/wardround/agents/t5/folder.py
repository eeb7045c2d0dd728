"""The folder that training leaves: the model, what it was trained with, and how it went."""

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import orjson

from wardround.core.errors import UserError


def check_installed() -> None:
    """Whether the extra is there.

    Raises:
        UserError: it is not.
    """
    missing = [name for name in _NEEDED if not find_spec(name)]
    if missing:
        raise UserError(f"T5 needs {', '.join(missing)}; install wardround[t5].")


_NEEDED = ("torch", "transformers")


@dataclass(frozen=True, slots=True)
class Trained:
    """A folder with a model in it, or one that is being trained."""

    folder: Path

    @property
    def model(self) -> Path:
        """The model and its tokenizer as `transformers` keeps them."""
        return self.folder / "model"

    @property
    def checkpoint(self) -> Path:
        """What an interrupted training goes on from."""
        return self.folder / "checkpoint.pt"

    @property
    def schema(self) -> str:
        """The schema that stands after each question; empty where none does.

        Raises:
            UserError: the folder holds no trained model.
        """
        return str(self._read("settings.json")["schema"])

    @property
    def length(self) -> int:
        """How many pieces of a text are read and written.

        Raises:
            UserError: the folder holds no trained model.
        """
        return int(self._read("settings.json")["length"])

    @property
    def entropies(self) -> list[float]:
        """The maximum entropies of the validation questions; none where there were none.

        Raises:
            UserError: the folder holds no trained model.
        """
        found = self._read("entropies.json")["entropies"] if self._has("entropies.json") else []
        return list(map(float, found))

    def settings(self) -> dict[str, Any] | None:
        """What it was trained with, None before training."""
        return self._read("settings.json") if self._has("settings.json") else None

    def write(self, name: str, content: Any) -> None:
        """Writes a file of JSON into the folder, whole or not at all."""
        self.folder.mkdir(parents=True, exist_ok=True)
        whole = self.folder / f"{name}.part"
        whole.write_bytes(orjson.dumps(content, option=orjson.OPT_INDENT_2))
        whole.replace(self.folder / name)

    def _has(self, name: str) -> bool:
        return (self.folder / name).is_file()

    def _read(self, name: str) -> dict[str, Any]:
        if not self._has(name):
            raise UserError(
                f"{self.folder} holds no model of `wardround train t5` ({name} is missing); "
                "name a folder that it has written."
            )
        content: dict[str, Any] = orjson.loads((self.folder / name).read_bytes())
        return content
