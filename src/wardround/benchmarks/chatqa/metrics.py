"""EHR-ChatQA's results: the paper's Table 3 and Figure 3, with what else tells agents apart."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from statistics import fmean
from typing import TypeAlias

from wardround.benchmarks.chatqa.figures import summarize_figures
from wardround.benchmarks.chatqa.grouping import (
    FLOWS,
    GRADINGS,
    by_task,
    most_k,
    task_turns,
    tallies,
    with_all,
)
from wardround.core.benchmark import Summary, Table
from wardround.core.record import Outcome, RoleUse, TrialRecord
from wardround.scoring.reliability import reliabilities
from wardround.scoring.statistics import bootstrap_means

Cell: TypeAlias = str | int | float | None
Trials: TypeAlias = Sequence[TrialRecord]
