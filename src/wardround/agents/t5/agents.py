"""A fine-tuned T5 that abstains above an entropy threshold (Lee et al. 2022, 4.3 and G).

Any sequence-to-sequence model of `transformers` works, with or without the schema appended to the
question. Needs the extra `t5`.
"""

from collections.abc import Sequence
from math import inf
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from wardround.agents.t5.model_folder import ModelFolder, check_installed
from wardround.core.benchmark import AgentContext, AgentMaker
from wardround.core.errors import UserError
from wardround.core.task import Briefing
from wardround.models.client import LanguageModel

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

    from wardround.agents.t5.decoder import BatchedDecoder, Decoder, T5Agent

    decoder = BatchedDecoder(Decoder.open(folder, beams))

    def make(briefing: Briefing, context: AgentContext) -> T5Agent:
        return T5Agent(decoder, highest, briefing)

    return make


def find_threshold(
    method: str | float, percentile: float, entropies: Sequence[float], source: Path
) -> float:
    """The threshold: a given number, or one found on the validation questions' entropies.

    Args:
        method: "none", "clustering", "percentile", or the threshold itself.
        percentile: For that method.
        entropies: The maximum entropy of each validation question.
        source: Where they are from, for errors.

    Raises:
        UserError: The method needs entropies, and there are not two that differ.
    """
    if not isinstance(method, str):
        return method
    if method == "none":
        return inf
    if len(set(entropies)) < 2:
        raise UserError(
            f"{source} has no validation questions to find a threshold on; train it with --valid, "
            "or give --agent-setting threshold=none or a number."
        )
    if method == "clustering":
        return cluster_boundary(entropies)
    return float(np.percentile(entropies, percentile))


def cluster_boundary(values: Sequence[float]) -> float:
    """The boundary of k-means with k = 2: midway between the two means.

    In one dimension the clusters are runs of the sorted values, so the best of the n - 1 splits is
    the global optimum.

    Args:
        values: At least two.

    >>> cluster_boundary([0.1, 0.2, 0.3, 1.8, 2.0])
    1.05
    """
    ordered = np.sort(np.asarray(values, dtype=float))
    sizes = np.arange(1, len(ordered))
    sums = np.cumsum(ordered)
    low, high = sums[:-1] / sizes, (sums[-1] - sums[:-1]) / (len(ordered) - sizes)
    # The total sum of squares is the same for all splits, so the means' share of it decides.
    best = int(np.argmax(low**2 * sizes + high**2 * (len(ordered) - sizes)))
    return float((low[best] + high[best]) / 2)
