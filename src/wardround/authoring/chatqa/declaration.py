"""Declaration of making EHR-ChatQA tasks."""

from pathlib import Path

from pydantic import Field

from wardround.core.declaration import Options, Role, WorkDeclaration
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
    roles=(
        Role("paraphraser", "puts instructions into other words", 1.0),
        Role("judge", "says whether two sentences ask for the same"),
    ),
    suite="wardround.authoring.chatqa.assessed:assessed_suite",
    interrupted="{to} is not made.",
)


class ReviewOptions(Options):
    """Options of reviewing conversations."""

    tasks: Path = Field(description="The file of tasks.")
    review: Path = Field(
        description="The review file, which is made or extended. A person writes accept or strike "
        "under decision, and a name under by."
    )
    run: tuple[Path, ...] = Field(
        (), description="A run on the tasks; repeatable. Flags what all trials fail or pass."
    )
    to: Path | None = Field(None, description="The file for the tasks that a person accepted.")


REVIEW = WorkDeclaration(
    name="chatqa",
    summary="Review conversations: a sign-off for each, and flags from runs.",
    implementation="wardround.authoring.chatqa.review:review",
    options=ReviewOptions,
)


class FeedbackOptions(Options):
    """Options of making tasks from feedback on a served agent."""

    served: Path = Field(
        description="A folder of a served agent's record, such as ASSESSMENT/served/001."
    )
    database: str = Field(description="The database that was asked: a file or a URL.")
    map: Path | None = Field(
        None, description="A record map of the database's tables. [that of its layout]"
    )
    review: Path = Field(
        description="The review file, which is made or extended. A person writes accept or strike "
        "under decision, and a name under by."
    )


FEEDBACK = WorkDeclaration(
    name="chatqa",
    summary="Put what people said of a served agent's answers into a review file of tasks.",
    implementation="wardround.authoring.chatqa.ward_feedback:collect",
    options=FeedbackOptions,
)


class SignedOptions(Options):
    """Options of writing the accepted tasks from feedback."""

    review: Path = Field(description="The review file of `wardround tasks sheet chatqa`.")
    database: str = Field(description="The database of the gold queries: a file or a URL.")
    to: Path = Field(description="The file of tasks to write, as JSON Lines.")


SIGNED = WorkDeclaration(
    name="chatqa",
    summary="Write the tasks that a person accepted in a review file of feedback.",
    implementation="wardround.authoring.chatqa.ward_feedback:write_signed",
    options=SignedOptions,
)
