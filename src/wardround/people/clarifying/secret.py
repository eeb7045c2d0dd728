"""Data of a clarifying user: its secret, its choices and its answers."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Protocol, TypeAlias


@dataclass(frozen=True, slots=True)
class Ambiguity:
    """A point of a request that cannot be carried out as it stands (Huo et al. 2025, H).

    Attributes:
        term: The ambiguous words, or the name of the masked knowledge.
        kind: Its type (Tables 6 and 7), or that of knowledge (H.2), as `kinds.tsv` names them.
        fragments: The gold SQL fragments that resolve it.
        critical: True if it changes the intent, False if only the implementation.
        knowledge: The id of the masked entry of the knowledge base, if any.
        meaning: The meaning in a user's words; "" if only the fragments give it.
        otherwise: Alternative readings of the first fragment; each makes the gold wrong when
            substituted, which proves that the point needs clarifying (H.1).
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
    """Everything the user knows and the agent does not.

    Attributes:
        request: The request as the agent got it.
        clear: The unambiguous request; "" if unknown.
        gold: The gold statements.
        ambiguities: The ambiguities of the request.
        schema: The tables, as `CREATE TABLE` text.
    """

    request: str
    clear: str
    gold: tuple[str, ...]
    ambiguities: tuple[Ambiguity, ...]
    schema: str = ""


@dataclass(frozen=True, slots=True)
class Labelled:
    """AMB: the question is about a labelled ambiguity."""

    ambiguity: Ambiguity


@dataclass(frozen=True, slots=True)
class Located:
    """LOC: the question is about another point, answered by a fragment of the gold."""

    fragment: str


@dataclass(frozen=True, slots=True)
class Refused:
    """UNA: the question asks for something the user must not or cannot answer."""


Choice: TypeAlias = Labelled | Located | Refused


@dataclass(frozen=True, slots=True)
class Answer:
    """The user's answer to a question.

    Attributes:
        choice: The chosen action; None for a simulator that does not choose.
        leaks: Leaks that were removed from the reply.
        refused: True if the reply is a refusal, whatever was chosen.
    """

    text: str
    choice: Choice | None
    leaks: tuple[str, ...] = ()
    refused: bool = False


class Clarifier(Protocol):
    """A simulated user of a task (Huo et al. 2025, 3.3, N)."""

    async def clarify(self, question: str, seen: Collection[str]) -> Answer:
        """Answers a question of the agent.

        Args:
            question: The agent's question.
            seen: Identifiers, in lower case, that the agent has been shown or has written; a
                reply may name these.

        Raises:
            InfraError: The simulator's model failed.
        """
        ...
