"""An agent on a language model that writes one query, and mends it when the database refuses it."""

import re

from wardround.agents.model_agents import check_model
from wardround.core.actions import Action, Observation, Say
from wardround.core.benchmark import AgentContext, AgentMaker
from wardround.core.task import Briefing
from wardround.models.client import LanguageModel
from wardround.models.messages import Message
from wardround.models.model import Model

_FENCED = re.compile(r"```[^\S\n]*\w*[^\S\n]*\n?(.*?)```", re.DOTALL)
_TAGGED = re.compile(r"\[sql\](.*?)(?:\[/sql\]|\Z)", re.IGNORECASE | re.DOTALL)
_AFTER_COLON = re.compile(r"\bsql\s*:(.*)", re.IGNORECASE | re.DOTALL)
_START = re.compile(r"\b(?:with|select)\b", re.IGNORECASE)

GIVES_UP = "I have no query."

MEND = """Question:
{question}

This query was written for it:
```sql
{query}
```

The database answered:
{answer}

Change as little as needed to mend the query. Write the whole query in a fenced block that begins \
with ```sql."""


class QueryWriter:
    """Submits the query in the model's first answer, then mended ones with the database's error.

    Each request holds the rules and the question; a mending one also the query and the error, and
    nothing of what the model said before.
    """

    def __init__(self, briefing: Briefing, model: Model) -> None:
        self._rules = Message("system", briefing.rules)
        self._submit = briefing.tool("answer_with_query")
        self._model = model
        self._question = ""
        self._query = ""

    async def act(self, observation: Observation) -> Action:
        """The next query; gives up where the model writes none."""
        self._question = self._question or observation.text
        reply = await self._model.chat([self._rules, Message("user", self._request(observation))])
        query = extracted_query(reply.text)
        if not query:
            return Say(GIVES_UP)
        self._query = query
        return self._submit.call(query)

    def _request(self, observation: Observation) -> str:
        if not self._query:
            return self._question
        return MEND.format(question=self._question, query=self._query, answer=observation.text)


def open_agents(model: LanguageModel | None) -> AgentMaker:
    """Agents on this model, one a trial.

    Raises:
        UserError: no model was named.
    """
    named = check_model(model, "query")

    def make(briefing: Briefing, context: AgentContext) -> QueryWriter:
        return QueryWriter(briefing, named.bind("agent", context.ledger.record, context.seed))

    return make


def extracted_query(text: str) -> str:
    r"""The query that an answer ends with, closed by a semicolon; "" if there is none.

    The last fenced block counts, else what an [sql] tag holds, else what follows "sql:", else the
    whole answer; of it, everything before its first WITH or SELECT is left out.

    >>> extracted_query("Reasoning: count them.\n```sql\nSELECT 1\n```")
    'SELECT 1;'
    """
    found = _START.search(part := _query_part(text))
    if found is None:
        return ""
    return f"{part[found.start() :].strip().rstrip(';').rstrip()};"


def _query_part(text: str) -> str:
    if fenced := _FENCED.findall(text):
        return str(fenced[-1])
    found = _TAGGED.search(text) or _AFTER_COLON.search(text)
    return found[1] if found else text
