"""Parses the text of an instruction, clause by clause.

Each clause has one of a few roles: the goal, something to say, something to say once a condition
is met, an answer to a question of the agent, something not to be said, or a stage direction.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise

from wardround.people.branches import ScriptBuilder, generic_words
from wardround.people.clause_classifier import ConditionKind, clause_role
from wardround.people.conditions import Clause, asked_about, condition_kind, is_rule, read_clause
from wardround.people.instruction import Alternative, Answer, Instruction, Piece, Stop
from wardround.people.patterns import content_words, pattern, rewrites
from wardround.people.quantity_bounds import quantity_bounds
from wardround.people.reply_classifier import Outcome
from wardround.people.sentences import parts, restore

_QUOTED = re.compile(r"[\"\u201c'\u2018](?=\S)([^\"\u201d]+?)[\"\u201d'\u2019](?!\w)")


@lru_cache(maxsize=1024)
def read_instruction(text: str) -> Instruction:
    """Parses an instruction, once for all trials of its task.

    A clause of no known kind becomes a piece as it stands.

    >>> read_instruction(
    ...     "Your goal is to look into heart drugs. You want to know how many patients got "
    ...     "Lopressor. If no patients are found, you want the count for its generic name."
    ... ).script[1].nothing[0].text
    'I want the count for its generic name.'
    """
    sections = list(parts(text))
    parser = _Parser(exclusive=frozenset(_exclusive(sections)))
    for part in sections:
        parser.add(part)
    return parser.result()


@dataclass(slots=True)
class _Parser:
    """The parts read so far.

    `paraphrased` are the words of secrets without quotes: words that are asked for anyway are not
    withheld. `exclusive` are the parts whose conditions on one quantity exclude each other.
    `lifted` is the cue of the question that lifts the last secret.
    """

    exclusive: frozenset[str] = frozenset()
    goal: str = ""
    script: ScriptBuilder = field(default_factory=ScriptBuilder)
    alternatives: list[list[Alternative]] = field(default_factory=list)
    answer_formats: list[str] = field(default_factory=list)
    answers: list[Answer] = field(default_factory=list)
    quoted: frozenset[str] = frozenset()
    paraphrased: list[frozenset[str]] = field(default_factory=list)
    lifted: str | None = None
    in_alternatives: bool = False
    previous: str = ""

    def add(self, part: str) -> None:
        """Adds one part, after which it is the one that "say so" refers to."""
        self._add(part)
        self.previous = part

    def _add(self, part: str) -> None:
        if goal := pattern("grammar", "goal").match(part):
            return self._aim(part[goal.end() :])
        if ordered := pattern("grammar", "kept").match(part):
            return self._keep(ordered["matter"], ordered["order"])
        if late := pattern("grammar", "answer_after_colon").match(part):
            return self._answer(f"{late['matter']} {late['cue']}", late["answer"])
        if otherwise := pattern("grammar", "otherwise").match(part):
            return self._otherwise(otherwise["body"])
        clause = read_clause(part)
        return self._conditional(clause, part) if clause.condition else self._main(part)

    def result(self) -> Instruction:
        """Returns all that was read."""
        asked = content_words(" ".join(piece.text for piece in self.script.unconditional))
        secret = self.quoted.union(*(words - asked or words for words in self.paraphrased))
        secret -= generic_words()
        is_revealing = bool(content_words(self.goal) & (secret - asked))
        return Instruction(
            "" if is_revealing else self.goal,
            self.script.steps,
            tuple(tuple(group) for group in self.alternatives),
            tuple(self.answer_formats),
            tuple(self.answers),
            secret,
        )

    def _aim(self, text: str) -> None:
        """Sets the broad goal; a second one is something to want."""
        if self.goal:
            return self._main(f"you want to {text}")
        goal = first_person(text).rstrip(".")
        self.goal = goal if goal[:2].isupper() else goal[:1].lower() + goal[1:]
        return None

    def _keep(self, matter: str, order: str) -> None:
        """Keeps a statement for a question; without one it is never said."""
        condition = read_clause(order).condition or (lifting_question(order) or "")
        if condition and condition_kind(condition) == "question":
            self._answer(asked_about(condition), matter)

    def _main(self, part: str) -> None:
        """Places a clause without a condition."""
        if self.lifted is not None and (then := pattern("grammar", "then_answer").match(part)):
            return self._answer(self.lifted, part[then.end() :])
        role = clause_role(part)
        self.lifted = lifting_question(part) if role == "secret" else None
        if role == "secret":
            return self._guard(part)
        if role == "ask" and pattern("grammar", "format").match(part):
            return self.answer_formats.append(first_person(part))
        return self._say(part) if role == "ask" else None

    def _conditional(self, clause: Clause, part: str) -> None:
        """Places a clause with a condition by what the condition waits for."""
        kind = condition_kind(clause.condition)
        is_statement = pattern("grammar", "statement").match(clause.body)
        role = "ask" if is_statement else clause_role(clause.body)
        if role == "secret":
            self._guard_until(clause, kind)
        elif kind == "question":
            self._answer(asked_about(clause.condition), clause.body)
        elif role == "ask":
            self._hold(clause, kind, part)

    def _hold(self, clause: Clause, kind: ConditionKind, part: str) -> None:
        """Places a request that waits for a report; a rule for the records is said as it stands."""
        if kind == "turn":
            return self._say(clause.body, follows=True)
        if part in self.exclusive:
            return self._alternative(clause)
        if kind == "data" or pattern("grammar", "about_records").match(clause.body):
            return self._say(part)
        if kind == "statement":
            return self._say(part) if is_rule(clause) else self._alternative(clause)
        outcome: Outcome = "nothing" if (kind == "nothing") != clause.negated else "found"
        named = restore(clause.condition) if outcome == "found" else ""
        self.in_alternatives = False
        return self.script.branch(clause.condition, outcome, _steps(clause.body, named))

    def _guard_until(self, clause: Clause, kind: ConditionKind) -> None:
        """Withholds what a secret names until the agent asks or speaks of it."""
        if kind == "question" or pattern("grammar", "speaker").search(clause.condition):
            self.lifted = asked_about(clause.condition) if kind == "question" else None
            self._guard(clause.body)

    def _otherwise(self, body: str) -> None:
        if clause_role(body) == "silent":
            return None
        if self.in_alternatives:
            return self.alternatives[-1].append(Alternative("", tuple(_steps(body, ""))))
        if self.script.path:
            return self.script.branch_otherwise(_steps(body, ""))
        return self.script.branch("none", "nothing", _steps(body, ""))

    def _alternative(self, clause: Clause) -> None:
        if not self.in_alternatives:
            self.alternatives.append([])
        self.in_alternatives = True
        steps = tuple(_steps(clause.body, ""))
        condition = restore(clause.condition)
        if clause.negated:
            self.alternatives[-1] += [Alternative(condition, ()), Alternative("", steps)]
        else:
            self.alternatives[-1].append(Alternative(condition, steps))

    def _say(self, part: str, *, follows: bool = False) -> None:
        """Adds something to be said whatever is found, unless it speaks of a branch's finding."""
        if pattern("grammar", "end").match(part):
            return None
        self.in_alternatives = False
        text = first_person(part)
        if self.script.path and pattern("grammar", "of_the_branch").search(part):
            return self.script.say_in_branch(Piece(text, follows=True, depends=True))
        follows = follows or bool(pattern("grammar", "refers_back").search(part))
        return self.script.say(Piece(text, follows or self.script.is_want_after_interest(text)))

    def _answer(self, cue: str, text: str) -> None:
        if pattern("grammar", "pro_clause").match(text):
            text = self.previous
            self.script.take_back(first_person(text))
        elif not pattern("grammar", "statement").match(text) and clause_role(text) == "silent":
            return
        self.answers.append(Answer(content_words(restore(cue)), first_person(text)))

    def _guard(self, part: str) -> None:
        """Withholds what a secret names."""
        named, is_quoted, statement = guarded_words(part)
        if self.lifted is not None and statement:
            self._answer(self.lifted, statement)
        if is_quoted:
            self.quoted |= named
        else:
            self.paraphrased.append(named)


def _exclusive(texts: Sequence[str]) -> Iterator[str]:
    """The parts in a row whose conditions set bounds to one quantity that exclude each other."""
    for first, second in pairwise(texts):
        one, other = (
            quantity_bounds(restore(read_clause(part).condition)) for part in (first, second)
        )
        if one and other and one.high and other.high and one.excludes(other):
            yield from (first, second)


def _steps(body: str, condition: str) -> Iterator[Piece | Stop]:
    end = pattern("grammar", "end").search(body)
    text = body[: end.start()] if end else body
    if text.strip(" ,"):
        yield Piece(first_person(text), depends=True, condition=condition)
    if end:
        yield Stop()


def first_person(text: str) -> str:
    """Rewrites a clause of an instruction in the first person, unshielded.

    >>> first_person("you are interested in your patient's last visit")
    "I'm interested in my patient's last visit."
    >>> first_person("you start out by asking the DB agent whether it was given to them")
    'I want to know whether it was given to them.'
    >>> first_person("have it use all patients")
    'Use all patients.'
    """
    text = _without_frame(text.strip(" ,"))
    for second, words in rewrites("voice"):
        text = second.sub(words, text)
    text = restore(text.strip(" ,"))
    return text[:1].upper() + text[1:] + ("" if re.search(r"[.?!]\W?$", text) else ".")


def _without_frame(text: str) -> str:
    """Replaces "ask the agent X" or "tell the agent X" by X."""
    for kind in ("ask", "tell", "say", "make"):
        frame = pattern("grammar", f"{kind}_frame").match(text)
        if not frame:
            continue
        rest = text[frame.end() :]
        for opening, words in rewrites(f"{kind}_rest"):
            rewritten, count = opening.subn(words, rest)
            if count:
                return rewritten
    for command, words in rewrites("command"):
        text, count = command.subn(words, text)
        if count:
            break
    return text


def guarded_words(part: str) -> tuple[frozenset[str], bool, str]:
    """Returns the words that a secret names, if they are quoted, and the statement it keeps.

    >>> guarded_words('do not suggest "colchicine" unless the agent does')
    (frozenset({'colchicine'}), True, '')
    >>> sorted(guarded_words("do not reveal that you prepare a lecture")[0])
    ['lecture', 'prepare']
    """
    named = pattern("grammar", "until").sub("", part)
    if verb := pattern("grammar", "secret_verb").search(named):
        named = named[verb.end() :]
    quotes = _QUOTED.findall(restore(named))
    statement = pattern("grammar", "that_clause").match(named)
    words = content_words(" ".join(quotes) or restore(named))
    return words, bool(quotes), named[statement.end() :] if statement else ""


def lifting_question(part: str) -> str | None:
    """Returns the cue of the question that lifts a secret; None if no question does."""
    until = pattern("grammar", "until").search(part)
    if not until or condition_kind(until["condition"]) != "question":
        return None
    return asked_about(until["condition"])
