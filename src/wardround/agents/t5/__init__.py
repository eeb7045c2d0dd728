"""A fine-tuned T5 that abstains above an entropy threshold (Lee et al. 2022, 4.3 and G).

Any sequence-to-sequence model of `transformers` works, with or without the schema appended to the
question. Needs the extra `t5`.
"""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from wardround.agents.t5.model_folder import ModelFolder, check_installed
from wardround.agents.t5.thresholds import find_threshold
from wardround.core.benchmark import AgentContext, AgentMaker
from wardround.core.task import Briefing
from wardround.models.client import LanguageModel

__all__ = ["open_agents"]

NUM_BEAMS = 5  # Lee et al. 2022, Table 11


def open_agents(
    model: LanguageModel | None,
    *,
    agent_model: Path,
    threshold: Literal["none", "clustering", "percentile"] | float = "percentile",
    percentile: Annotated[float, Field(ge=0, le=100)] = 67.0,
    beams: Annotated[int, Field(ge=1)] = NUM_BEAMS,
) -> AgentMaker:
    """Makers of agents that share a fine-tuned model.

    Args:
        model: Not used; a language model is for the people only.
        agent_model: A folder of `wardround train t5`.
        threshold: The maximum entropy above which it abstains: none, one of the paper's two ways
            to find it on the validation questions, or a number.
        percentile: For that way, the share of questions to answer, in percent.
        beams: The beam width.

    Raises:
        UserError: The extra is not installed, or the folder holds no trained model or no
            validation questions to find a threshold on.
    """
    check_installed()
    folder = ModelFolder(agent_model)
    highest = find_threshold(threshold, percentile, folder.entropies, agent_model)

    from wardround.agents.t5.agent import BatchedDecoder, T5Agent
    from wardround.agents.t5.beam_search import Decoder

    decoder = BatchedDecoder(Decoder.open(folder, beams))

    def make(briefing: Briefing, context: AgentContext) -> T5Agent:
        return T5Agent(decoder, highest)

    return make
