"""EHR-ChatQA's declaration: options, roles, limits, gradings and table layouts."""

from typing import Literal

from pydantic import Field, ValidationInfo, field_validator

from wardround.core.declaration import (
    BenchmarkDeclaration,
    Grading,
    Layout,
    Options,
    Role,
    has_model,
)
from wardround.core.limits import Limits
from wardround.core.option_types import Time

CURRENT_TIME = "2100-12-31 23:59:00"  # when the records end (A.3.2, A.5)

# EHR-ChatQA renames EHRSQL's forms of MIMIC-IV and eICU (B.4), prepared from these tables.
_MIMIC_IV = """
patients admissions icustays transfers d_icd_diagnoses d_icd_procedures d_items d_labitems
diagnoses_icd procedures_icd labevents microbiologyevents prescriptions chartevents inputevents
outputevents"""
_EICU = """
patient hospital diagnosis treatment lab medication allergy intakeoutput microlab vitalperiodic"""


class ChatOptions(Options):
    """Options of EHR-ChatQA."""

    user: Literal["script", "model"] | None = Field(
        None,
        description="The simulated user; script needs no model. [model if the user has one]",
        json_schema_extra={"role": "user"},
    )
    current_time: Time | None = Field(
        None,
        description=f"The current time in trials. [{CURRENT_TIME}, or of the records]",
    )
    web_search: str = Field(
        "reference", description="The source of web_search: reference, or NAME=ADDRESS."
    )
    embedder: str = Field("wordllama", description="The embedder of similarity search.")

    @field_validator("user", mode="before")
    @classmethod
    def _played_by_a_model_if_there_is_one(cls, user: str | None, info: ValidationInfo) -> str:
        return user or ("model" if has_model(info, "user") else "script")


def _layout(release: str, needs: str) -> Layout:
    name, prepared = f"{release}_star", f"ehrsql_{release}"
    prepared_layout = "ehrsql_mimic_iv_star" if release == "mimic_iv" else prepared
    rename = f"wardround data rename {name}"
    # Preparing MIMIC-IV uses this time by default.
    now = "" if release == "mimic_iv" else f' --now "{CURRENT_TIME}"'
    prepare_and_rename = f"wardround data prepare --layout {prepared_layout}{now} and {rename}"
    needed: dict[str, tuple[str, ...]] = {release: tuple(needs.split()), prepared: ()}
    return Layout(name, needed, {release: prepare_and_rename, prepared: rename}, CURRENT_TIME)


BENCHMARK = BenchmarkDeclaration(
    name="chatqa",
    summary="Find out what the user means and what the database calls it, in conversation.",
    implementation="wardround.benchmarks.chatqa.benchmark:ChatBenchmark",
    agents_without_model=("parser",),
    options=ChatOptions,
    roles=(
        Role("user", "writes the user's messages, and revises rejected ones", 1.0),
        Role("verifier", "checks each of the user's messages before it is sent", follows="user"),
        Role(
            "validator", "checks the finished conversation against the user's rules", follows="user"
        ),
        Role("classifier", "names causes of failures that the program leaves open", shared=False),
    ),
    limits=Limits(actions=30, seconds=600.0, statement_seconds=60.0),
    gradings=(
        Grading("paper", "as published: any query or answer may match"),
        Grading("strict", "the last query returns the whole gold table; the last answer is right"),
    ),
    any_schema=True,
    layouts=(_layout("mimic_iv", _MIMIC_IV), _layout("eicu", _EICU)),
)
