"""The tools' names, descriptions and parameters, as agents see them."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, TypeAlias

from wardround.benchmarks.assist.sessions import PREPARE
from wardround.core.packaged_data import read_toml
from wardround.core.tools import ToolSpec

ParameterKind: TypeAlias = Literal[
    "text", "number", "instant", "drug", "test", "diagnosis", "dose", "route", "frequency",
    "status", "category", "priority", "service", "question",
]  # fmt: skip
# The beginning of the names of tools that ask the patient; the rest is the subject.
ASK = "patient.get_"
SUBJECT, ADMISSION, SESSION = "subject_id", "hadm_id", "session_id"
_GROUPS = (
    "Patient", "Encounter", "Condition", "Observation", "MedicationRequest",
    "MedicationAdministration", "DiagnosticReport", "DocumentReference", "CarePlan",
    "ServiceRequest", "Flag", "patient",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class ToolParameter:
    """A parameter of a tool.

    Attributes:
        name: its name.
        kind: the kind of values.
        description: its description for agents.
        required: True if a call must have it.
        values: the only values that it takes; empty for any.
        aliases: other spellings of its name that are understood.
    """

    name: str
    kind: ParameterKind
    description: str
    required: bool = False
    values: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()

    @property
    def schema(self) -> dict[str, Any]:
        """Its JSON schema."""
        kind = {"type": "integer" if self.kind == "number" else "string"}
        return {
            **kind,
            "description": self.description,
            **({"enum": list(self.values)} if self.values else {}),
        }


@dataclass(frozen=True, slots=True)
class CatalogueTool:
    """A tool: its name, description, role and parameters by name."""

    name: str
    description: str
    role: str
    parameters: Mapping[str, ToolParameter]

    @property
    def spec(self) -> ToolSpec:
        """The tool as agents see it."""
        required = [each.name for each in self.parameters.values() if each.required]
        schema = {
            "type": "object",
            "properties": {each.name: each.schema for each in self.parameters.values()},
            "required": required,
        }
        return ToolSpec(self.name, self.description, schema, role=self.role)


_PATIENT = ToolParameter(SUBJECT, "number", "The patient's subject_id.", required=True)
_STAY = ToolParameter(ADMISSION, "number", "Only what belongs to the stay with this hadm_id.")


@cache
def catalogue() -> Mapping[str, CatalogueTool]:
    """The 18 tools by name."""
    described = read_toml(__package__, "catalogue.toml")
    listed = {
        f"{group}.{action}": tool
        for group in _GROUPS
        for action, tool in described.get(group, {}).items()
    }
    listed[PREPARE] = described[PREPARE]
    return {name: _tool(name, tool) for name, tool in listed.items()}


def _tool(name: str, described: Mapping[str, Any]) -> CatalogueTool:
    parameters = {} if name == PREPARE else {SUBJECT: _PATIENT}
    if name.endswith(".search"):
        parameters[ADMISSION] = _STAY
    for parameter, details in described.get("parameters", {}).items():
        lists = {key: tuple(details.get(key, ())) for key in ("values", "aliases")}
        parameters[parameter] = ToolParameter(
            parameter,
            details.get("kind", "text"),
            details["description"],
            details.get("required", False),
            **lists,
        )
    return CatalogueTool(name, described["description"], described["role"], parameters)
