"""The settings of a role's language model, as in `run.json`."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator


class ModelSettings(BaseModel):
    """One role's model.

    Attributes:
        name: provider and model, as in "openai:gpt-4o-mini"; with `base_url`, any
            OpenAI-compatible server's model as "openai:NAME".
        base_url: the server, for OpenAI-compatible endpoints.
        api_key_env: the environment variable of the key, if not the provider's own.
        temperature: sampling temperature; None, or "none", leaves it to the provider.
        reasoning_effort: for models that reason; None leaves it to the provider.
        max_tokens: the longest answer.
        timeout: seconds for one answer, from the request to the last byte.
        retries: retries after provider faults (429, 5xx, timeout, lost connection, malformed
            reply) before the trial ends as `infra_error`.
        max_wait: the most seconds that one call waits for the provider, all waits together; a
            provider that asks for more ends the trial as `infra_error` at once.
        seeded: whether the trial's seed is sent, where the provider takes one ("openai:"
            without `base_url` does not, "openai-chat:" does).
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    base_url: str | None = None
    api_key_env: str | None = None
    temperature: float | None = None
    reasoning_effort: Literal["minimal", "low", "medium", "high"] | None = None
    max_tokens: int | None = Field(4096, gt=0)
    timeout: float = Field(120.0, gt=0, allow_inf_nan=False)
    retries: int = Field(5, ge=0)
    max_wait: float = Field(300.0, ge=0, allow_inf_nan=False)
    seeded: bool = True

    @field_validator("temperature", mode="before")
    @classmethod
    def _parse_none(cls, value: Any) -> Any:
        return None if value == "none" else value
