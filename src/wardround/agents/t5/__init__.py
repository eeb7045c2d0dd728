"""The paper's baseline (EHRSQL 4.3, G): a fine-tuned T5 that refuses where it is unsure.

Any sequence-to-sequence model of `transformers` can be used, the schema beside the question or
not. Needs the extra `t5`.
"""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from wardround.agents.t5.folder import Trained, check_installed
from wardround.agents.t5.thresholds import threshold_of
from wardround.core.benchmark import AgentContext, AgentMaker
from wardround.core.task import Briefing
from wardround.models.client import LanguageModel

__all__ = ["open_agents"]

NUM_BEAMS = 5  # EHRSQL, Table 11


def open_agents(
    model: LanguageModel | None,
    *,
    agent_model: Path,
    threshold: Literal["none", "clustering", "percentile"] | float = "percentile",
    percentile: Annotated[float, Field(ge=0, le=100)] = 67.0,
    beams: Annotated[int, Field(ge=1)] = NUM_BEAMS,
) -> AgentMaker:
    """Agents on a trained folder, which they share; a language model is for the people only.

    Args:
        model: not used.
        agent_model: a folder of `wardround train t5`.
        threshold: the maximum entropy above which it refuses: none, one of the paper's two ways
            to find it on the validation questions, or a number.
        percentile: for that way, the share of questions that should be answered, in percent.
        beams: how many beams are searched.

    Raises:
        UserError: the extra is not installed, the folder holds no trained model, or no
            validation questions that a threshold can be found on.
    """
    check_installed()
    trained = Trained(agent_model)
    highest = threshold_of(threshold, percentile, trained.entropies, agent_model)

    from wardround.agents.t5.agent import T5Agent
    from wardround.agents.t5.batched_decoder import Together
    from wardround.agents.t5.beam_search import Decoder

    together = Together(Decoder.open(trained, beams))

    def make(briefing: Briefing, context: AgentContext) -> T5Agent:
        return T5Agent(together, highest)

    return make
