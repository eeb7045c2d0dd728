"""wardround's benchmarks as a verifiers taskset, with the harness that plays their trials."""

from wardround_verifiers.env import WardroundEnv
from wardround_verifiers.harness import WardroundHarness
from wardround_verifiers.taskset import WardroundTaskset

__all__ = ["WardroundEnv", "WardroundHarness", "WardroundTaskset"]
