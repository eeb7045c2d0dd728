"""Numbers out of bounds and invalid agents are refused in one sentence."""

from itertools import product
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from tests.cases import for_each, one_in
from wardround.apps.command_line.choices import chosen_settings
from wardround.core import plugins
from wardround.core.errors import UserError
from wardround.models.roles import RoleModels
from wardround.runs.components import AgentSource
from wardround.runs.settings import RunSettings

BENCHMARK = plugins.names(plugins.BENCHMARKS)[0]
HUGE = [10**20, 10**26, float("inf"), float("nan"), -(10**26)]
FIELDS = (
    "trials", "seed", "limit", "actions", "seconds", "statement_seconds", "attempts",
    "concurrency", "processes",
)  # fmt: skip


@for_each(product(FIELDS, HUGE))
def test_numbers_out_of_bounds_are_refused(field: str, value: float) -> None:
    options: Any = {field: value}
    with pytest.raises(ValidationError):
        RunSettings(benchmark=BENCHMARK, agent="oracle", **options)
    with pytest.raises(UserError, match=f"The setting '{field}' is wrong"):
        chosen_settings(BENCHMARK, {"agent": "oracle", **options})


@pytest.mark.parametrize("name", one_in(2, ["os:system", "os:getcwd", "math:sqrt", "builtins:len"]))
async def test_function_that_returns_no_agent_is_refused(name: str) -> None:
    settings = RunSettings(benchmark=BENCHMARK, agent=name)
    unused: Any = None
    agents = AgentSource(settings, Path("run"), unused, RoleModels({}), {})
    with pytest.raises(UserError, match=f"The agent '{name}' cannot be opened"):
        async with agents.open():
            pass
