"""What the parser learns from: questions with their SQL, or with none."""

from wardround.agents.pairs import Pair

__all__ = ["Pair"]
