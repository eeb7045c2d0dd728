"""The declaration of `wardround people memories`."""

from pathlib import Path

from pydantic import Field

from wardround.core.declaration import Options, Role, WorkDeclaration


class MemoryOptions(Options):
    """Options of building patients' memories."""

    database: str = Field(
        description="A database in MIMIC-IV's layout with notes.",
        json_schema_extra={"argument": True},
    )
    folder: Path = Field(
        description="The folder of the memories, a YAML file for each patient.",
        json_schema_extra={"argument": True},
    )
    subject: tuple[int, ...] = Field(
        (), description="A patient's subject_id; may be repeated. [all]"
    )
    limit: int | None = Field(None, ge=1, description="The most patients. [all]")


MEMORIES = WorkDeclaration(
    name="memories",
    summary="Build what patients know from their newest admission, for simulated patients.",
    implementation="wardround.people.patient.building.build:write_memories",
    options=MemoryOptions,
    roles=(Role("words", "puts names and explanations into the patient's words", 0.4),),
)
