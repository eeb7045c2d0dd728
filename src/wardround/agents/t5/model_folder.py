"""The folder of a fine-tuned model: weights, settings, losses and entropies."""

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import orjson

from wardround.core.errors import UserError
from wardround.core.private_files import make_folder, write_whole

_PACKAGES = ("torch", "transformers")


def check_installed() -> None:
    """Check that the extra `t5` is installed.

    Raises:
        UserError: It is not.
    """
    missing = [name for name in _PACKAGES if not find_spec(name)]
    if missing:
        raise UserError(f"T5 needs {', '.join(missing)}; install wardround[t5].")


@dataclass(frozen=True, slots=True)
class ModelFolder:
    """A folder with a model, or with one in training."""

    path: Path

    @property
    def model(self) -> Path:
        """The model and its tokenizer in the format of `transformers`."""
        return self.path / "model"

    @property
    def checkpoint(self) -> Path:
        """The checkpoint to resume training from."""
        return self.path / "checkpoint.pt"

    @property
    def schema(self) -> str:
        """The schema appended to each question; may be empty.

        Raises:
            UserError: The folder holds no trained model.
        """
        return str(self._read("settings.json")["schema"])

    @property
    def length(self) -> int:
        """The most tokens read and written.

        Raises:
            UserError: The folder holds no trained model.
        """
        return int(self._read("settings.json")["length"])

    @property
    def entropies(self) -> list[float]:
        """The maximum entropies of the validation questions; empty without any.

        Raises:
            UserError: The folder holds no trained model.
        """
        values = self._read("entropies.json")["entropies"] if self._has("entropies.json") else []
        return list(map(float, values))

    def settings(self) -> dict[str, Any] | None:
        """The settings of the training; None before training."""
        return self._read("settings.json") if self._has("settings.json") else None

    def write(self, name: str, content: Any) -> None:
        """Write a JSON file into the folder, whole or not at all."""
        make_folder(self.path)
        write_whole(self.path / name, orjson.dumps(content, option=orjson.OPT_INDENT_2))

    def _has(self, name: str) -> bool:
        return (self.path / name).is_file()

    def _read(self, name: str) -> dict[str, Any]:
        if not self._has(name):
            raise UserError(
                f"{self.path} holds no model of `wardround train t5` ({name} is missing); "
                "name a folder that it has written."
            )
        content: dict[str, Any] = orjson.loads((self.path / name).read_bytes())
        return content
