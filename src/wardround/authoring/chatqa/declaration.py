"""Declaration of making EHR-ChatQA tasks."""

from pathlib import Path

from pydantic import Field

from wardround.core.declaration import Options, WorkDeclaration
from wardround.core.option_types import Time


class MakeOptions(Options):
    """Options of making conversations."""

    database: str = Field(description="A database: a file or a URL.")
    map: Path | None = Field(
        None,
        description="A record map of the database's tables, as `wardround data map` proposes. "
        "[that of its layout]",
    )
    to: Path = Field(description="The file of tasks to write, as JSON Lines.")
    incre: int = Field(60, ge=0, le=5_000, description="The number of IncreQA tasks.")
    adapt: int = Field(40, ge=0, le=5_000, description="The number of AdaptQA tasks.")
    depth: int = Field(
        3, ge=1, le=6, description="The number of conditions that an IncreQA user adds."
    )
    seed: int = Field(0, description="Same seed, same tasks.")
    current_time: Time | None = Field(
        None, description="The current time of the questions. [end of the records]"
    )


MAKE = WorkDeclaration(
    name="chatqa",
    summary="Make conversations: conditions told one by one, and goals that turn.",
    implementation="wardround.authoring.chatqa.work:make",
    options=MakeOptions,
    suite="wardround.authoring.chatqa.assessed:assessed_suite",
    interrupted="{to} is not made.",
)
