"""What a user who clears things up knows, chooses and says."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Protocol, TypeAlias


@dataclass(frozen=True, slots=True)
class Ambiguity:
    """One point of a request that cannot be carried out as it stands (BIRD-Interact, H).

    Attributes:
        term: The words that are unclear, or the name of the knowledge that is masked.
        kind: Its type (Tables 6 and 7), or that of knowledge (H.2), as `kinds.tsv` names them.
        fragments: The pieces of the gold SQL that clear it up.
        critical: Whether the intent hangs on it, rather than how it is carried out.
        knowledge: The id of the masked entry of the knowledge base; None where there is none.
        meaning: What is meant, in a user's words; "" where only the fragments tell.
        otherwise: Other readings of the first fragment: put in its place, each makes the gold
            wrong, which shows that the point must be cleared up (H.1).
    """

    term: str
    kind: str
    fragments: tuple[str, ...]
    critical: bool = True
    knowledge: int | None = None
    meaning: str = ""
    otherwise: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Secret:
    """What the user knows and the agent does not.

    Attributes:
        request: The request as it was put to the agent.
        clear: The request in full, without ambiguity; "" where it is not known.
        gold: The statements that carry it out.
        ambiguities: What is unclear in it.
        schema: The tables, as `CREATE TABLE` text.
    """

    request: str
    clear: str
    gold: tuple[str, ...]
    ambiguities: tuple[Ambiguity, ...]
    schema: str = ""


@dataclass(frozen=True, slots=True)
class Labelled:
    """AMB: the question is about an ambiguity that is labelled."""

    ambiguity: Ambiguity


@dataclass(frozen=True, slots=True)
class Located:
    """LOC: the question is about another point, which a piece of the gold SQL answers."""

    fragment: str


@dataclass(frozen=True, slots=True)
class Refused:
    """UNA: the question asks for what a user must not or cannot tell."""


Choice: TypeAlias = Labelled | Located | Refused


@dataclass(frozen=True, slots=True)
class Answer:
    """What the user says to a question.

    Attributes:
        choice: What the question was taken for; None where the simulator does not choose.
        leaks: What had to be taken out of the reply before it was said.
    """

    text: str
    choice: Choice | None
    leaks: tuple[str, ...] = ()


class Clarifier(Protocol):
    """A simulated user of one task (BIRD-Interact, 3.3, N)."""

    async def clarify(self, question: str, seen: Collection[str]) -> Answer:
        """The answer to one question of the agent.

        Args:
            question: What the agent asked.
            seen: The identifiers, in lower case, that the agent has been shown so far or wrote
                itself; a reply may name these.

        Raises:
            InfraError: The simulator's model failed.
        """
        ...
