"""Converses with people who ask one question after another, each of which may go on from the last.

A reading is answered if nothing speaks against it, and a turn that is refused is forgotten.
"""

from wardround.agents.parser.talk import replies as words
from wardround.agents.parser.talk import value_linker as linking
from wardround.agents.parser.talk.agent import ConversationAgent
from wardround.agents.parser.talk.held_period import held_period, timed_condition
from wardround.agents.parser.talk.patterns import phrase
from wardround.agents.parser.talk.request import Request, StatedGoal
from wardround.agents.parser.talk.tool_client import Dialogue, use
from wardround.agents.parser.talk.turns.objections import objection
from wardround.agents.parser.talk.turns.references import with_visit_meant
from wardround.agents.parser.talk.turns.short_turn import short_turn
from wardround.agents.parser.talk.turns.turn_effect import is_same_request
from wardround.agents.parser.talk.turns.turn_kind import (
    TurnKind,
    asks_anew_of_patient,
    asks_nothing,
    chosen_kind,
    needs_question_before,
    stands_alone,
    swaps,
    turn_kind,
)
from wardround.agents.parser.talk.turns.turn_reader import asks_to_check, is_opening, read_turn
from wardround.agents.parser.talk.turns.unread_words import unread_words, without_words
from wardround.agents.parser.talk.turns.whose_records import in_place, of_same_people
from wardround.agents.parser.talk.vocabulary import kinds_of
from wardround.core.task import Briefing


class SeveralQuestionsAgent(ConversationAgent):
    """Answers questions that may be new, or about what was asked before.

    Args:
        briefing: As of a conversation about one question.
    """

    def __init__(self, briefing: Briefing) -> None:
        super().__init__(briefing)
        self._unplaced = ""
        self._readable = ""
        self._was_refused = False

    def _reply(self, wording: str) -> Dialogue[str]:
        """The reply to a turn; after a fault of a tool the turn has not been taken."""
        was_refused = self._was_refused
        reply = yield from super()._reply(wording)
        if reply == words.NOT_ASKED:
            self._was_refused = was_refused
        return reply

    def _considered(self, wording: str) -> Dialogue[str]:
        """The reply to a turn that may ask something else than the one before."""
        readable, self._readable = self._readable, ""
        leaves_out = bool(readable) and phrase("leaves_out").search(wording.lower()) is not None
        wording = readable if leaves_out else _without_sameness(wording)
        is_choice = self._takes_choice(wording)
        is_forgotten = self._forgot_refused(leaves_out=leaves_out or is_choice)
        is_small_talk = asks_nothing(Request(turns=1), wording, self._now)
        if is_forgotten and not (is_small_talk or stands_alone(wording, self._now)):
            return self._refusal(words.REFUSED_BEFORE)
        short = None if is_choice or self._rows is None else short_turn(self._request, wording)
        if short is not None:
            self._request = short
            return (yield from self._answered())
        if not self._request.turns and needs_question_before(wording):
            return self._refusal(words.NOTHING_BEFORE)
        if unread := () if is_choice else self._unread(wording):
            self._readable = without_words(wording, unread)
            return self._refusal(words.unread_reply(unread))
        if not is_choice and asks_nothing(self._request, wording, self._now):
            yield from self._lookup.read_tables()
            return words.scope_reply(self._lookup.schema.has)
        if phrase("asks_twice").search(wording.lower()):
            return self._refusal(words.ONE_AT_A_TIME)
        placed = self._placed(wording)
        if not placed:
            return words.which_question(self._request)
        return (yield from self._read(placed))

    def _takes_choice(self, wording: str) -> bool:
        """True if a turn answers the agent's own question; an open question is dropped else."""
        if self._offered is not None:
            if linking.selects(self._offered, wording):
                return True
            self._offered, self._was_refused = None, True
        if self._unplaced and chosen_kind(wording, self._now) == "either":
            self._unplaced, self._was_refused = "", True
        return bool(self._unplaced)

    def _unread(self, wording: str) -> tuple[str, ...]:
        """The words of a turn that nothing reads, whether it is new or goes on."""
        goes_on = [] if self._kind(wording) == "new" else [self._request]
        failed = self._replaces(wording)
        return unread_words([*goes_on, Request()], wording, self._now, failed=failed)

    def _refusal(self, reply: str) -> str:
        """The reply to a turn that is not answered, so that nothing may point to it."""
        self._was_refused = True
        return reply

    def _forgot_refused(self, *, leaves_out: bool) -> bool:
        """Forget what was asked before a refused turn, unless that turn is taken after all."""
        was_refused, self._was_refused = self._was_refused, False
        if not was_refused or leaves_out:
            return False
        self._forget()
        return True

    def _replaces(self, wording: str) -> bool:
        """True if what a turn names takes the place of what was named before."""
        return self._failed or swaps(wording)

    def _placed(self, wording: str) -> str:
        """The turn to answer, after forgetting the last request if it is new; "" if in doubt."""
        unplaced, self._unplaced = self._unplaced, ""
        kind = chosen_kind(wording, self._now) if unplaced else self._kind(wording)
        unplaced = unplaced or wording
        if kind == "either":
            self._unplaced = wording
            return ""
        if kind == "new":
            self._forget()
        elif (
            self._rows is not None
            and self._request.patient
            and asks_anew_of_patient(unplaced, self._now)
        ):
            self._request = self._request.of_same_patient()
        return unplaced

    def _forget(self) -> None:
        """Begin with nothing asked."""
        self._request, self._rows, self._failed = Request(), None, False
        self._offered, self._asked = None, []

    def _kind(self, wording: str) -> TurnKind:
        """A turn's kind; what follows a question of the agent's own is its answer."""
        is_first = not (self._request.turns or self._request.patient)
        kind = "follow_up" if is_first else turn_kind(self._request, wording, self._now)
        return "follow_up" if kind == "either" and self._rows is None else kind

    def _read(self, wording: str) -> Dialogue[str]:
        """Read a turn, and return the reply to what it asks for, or why it is refused."""
        is_choice, was_answered = self._offered is not None, self._rows is not None
        chosen = self._with_choice(wording)
        before = with_visit_meant(chosen, wording) if was_answered else chosen
        after = read_turn(before, wording, self._now, failed=self._replaces(wording))
        if self._rows is not None and is_same_request(before, after) and asks_to_check(wording):
            self._request = after
            return words.checked_reply(self._answer_text(after, self._rows))
        if not is_choice:
            after = in_place(after, wording)
            if objected := objection(before, after, wording, self._now):
                self._request = before
                self._readable = without_words(wording, objected.unsaid) if objected.unsaid else ""
                return self._refusal(objected.reply)
            after = of_same_people(before, after) if was_answered else after
        self._request = after
        reply = yield from self._completed(wording, is_opening=is_opening(before, wording))
        is_open = reply in (words.ASK_GOAL, words.ASK_CONDITIONS)
        is_asked = phrase("asking").search(wording.lower())
        return self._refusal(words.NOT_UNDERSTOOD) if is_open and is_asked else reply

    def _unanswerable(self, reply: str, kind: str = "") -> str:
        """The reply where records of a kind cannot be read, if that is what was asked for.

        A text that is not a known term of the kind may mean something else, so the reply names it.
        """
        named = [each for each in self._request.clauses() if each.kind == kind and each.phrase]
        unsure = [c.phrase for c in named if not c.words.names and kinds_of(c.phrase) != {kind}]
        if unsure:
            return self._refusal(words.unknown_thing_reply(unsure))
        return reply if kind else self._refusal(reply)

    def _result(self, goal: StatedGoal) -> Dialogue[str]:
        """Run the query of the request; an empty period outside of the records is said."""
        reply = yield from super()._result(goal)
        timed = timed_condition(self._request)
        if self._rows is None or not (timed and self._failed):
            return reply
        views = self._lookup.schema.views(self._request.kinds(), self._dialect)
        run = self._briefing.tool("run_query")
        period = yield from held_period(timed, views, lambda sql: use(run.call(sql)))
        if self._last_query:  # people see the last query, which has to be that of the answer
            yield from use(self._last_query)
        return f"{reply} {words.held_period_reply(*period)}" if period else reply


def _without_sameness(wording: str) -> str:
    """The same question for something else, in the words that other turns have for it.

    >>> _without_sameness("Same for INR?")
    'What about INR?'
    """
    match = phrase("same_for").match(wording.lower())
    return f"What about{wording[match.end() :]}" if match else wording
