"""Opens the SQL writer as EHRSQL's language-model baseline, with published examples."""

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated

from pydantic import Field

from wardround.agents.model_agents import check_model
from wardround.agents.sql_writer.agent import Prompts, SqlWriter
from wardround.agents.sql_writer.examples import Examples
from wardround.benchmarks.ehrsql.tasks import load_pairs
from wardround.core.benchmark import AgentContext, AgentMaker
from wardround.core.seeds import derive_seed
from wardround.core.task import Briefing
from wardround.models.client import LanguageModel

Count = Annotated[int, Field(ge=1)]


def open_agents(
    model: LanguageModel | None,
    *,
    examples: Path | None = None,
    k: Annotated[int, Field(ge=0)] = 8,
    samples: Count = 5,
    temperature: Annotated[float, Field(ge=0)] = 0.7,
    threshold: Annotated[float, Field(ge=0, le=1)] = 0.5,
) -> AgentMaker:
    """Makes SQL writers on a model, one for each trial.

    Args:
        model: the model that writes the SQL.
        examples: a published file of questions with SQL; None for no examples.
        k: the number of examples in a prompt.
        samples: the number of samples.
        temperature: the sampling temperature, which overrides the model's own setting.
        threshold: the smallest share of samples that must agree on a result.

    Raises:
        UserError: no model was named, or the examples cannot be read.
    """
    checked = check_model(model, "sql")
    sampler = replace(
        checked, settings=checked.settings.model_copy(update={"temperature": temperature})
    )
    prompts = Prompts(Examples(load_pairs(examples) if examples else ()), k)

    def make(briefing: Briefing, context: AgentContext) -> SqlWriter:
        seeds = [derive_seed(context.seed, "sample", number) for number in range(samples)]
        models = [sampler.bind("agent", context.ledger.record, seed) for seed in seeds]
        return SqlWriter(partial(prompts.messages, briefing), models, threshold, briefing)

    return make
