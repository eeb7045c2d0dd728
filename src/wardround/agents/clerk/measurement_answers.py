"""Sentences about measurements: the last value with its level, and its course."""

from collections.abc import Iterator, Sequence
from typing import Literal

from wardround.agents.clerk.measured import Course, courses, level, of_test
from wardround.agents.clerk.question import Question
from wardround.agents.clerk.results import Measurement
from wardround.agents.clerk.session import Session
from wardround.agents.clerk.wordings import listed, term, time_words, worded

Sex = Literal["male", "female"] | None
_MOST = 12  # courses in an answer


def measurement_sentences(
    question: Question,
    session: Session,
    measurements: Sequence[Measurement],
    tests: Sequence[str],
) -> Iterator[str]:
    """A sentence about each named test, or about each measured one if no test is named."""
    if not tests:
        yield from (_course(question, session, each) for each in courses(measurements)[:_MOST])
        return
    if not any(of_test(test, measurements) for test in tests):
        yield from _absent(question, tests)
        return
    for test in tests:
        shown = courses(of_test(test, measurements))
        if not shown and test in question.names("test", "vital", "culture"):
            name = term(question.language, test, "test")
            yield worded(question.language, "not_found", name=name)
        yield from (_course(question, session, each) for each in shown)


def _absent(question: Question, tests: Sequence[str]) -> Iterator[str]:
    """A sentence that names the tests without a result."""
    language = question.language
    names = listed(language, (term(language, test, "test") for test in tests))
    yield worded(language, "not_found", name=names)


def abnormal_sentences(
    question: Question, session: Session, measurements: Sequence[Measurement]
) -> Iterator[str]:
    """A sentence about each test whose last value is out of range."""
    shown = courses(measurements)
    out = [each for each in shown if level(each.last, _sex(session)) not in ("", "normal")]
    yield from (_course(question, session, each) for each in out[:_MOST])
    if not shown:
        yield worded(question.language, "nothing")
    elif not out:
        yield worded(question.language, "all_normal")


def recheck_sentences(
    question: Question, session: Session, measurements: Sequence[Measurement]
) -> Iterator[str]:
    """A sentence about the tests to be repeated: those whose last value is out of range."""
    sex = _sex(session)
    out = [each for each in courses(measurements) if level(each.last, sex) not in ("", "normal")]
    names = [_name(question, each) for each in out if each.last.number is not None]
    if names:
        yield worded(question.language, "recheck", list=listed(question.language, names[:_MOST]))


def level_words(question: Question, session: Session, measurement: Measurement) -> str:
    """A value's level in words; empty if it is not known."""
    word = level(measurement, _sex(session))
    return worded(question.language, f"level_{word}") if word else ""


def _course(question: Question, session: Session, course: Course) -> str:
    language, last = question.language, course.last
    words = level_words(question, session, last)
    parts = [
        worded(
            language,
            "measured",
            name=_name(question, course),
            value=last.value.rstrip("."),
            level=words and worded(language, "level", level=words),
            time=time_words(last.time),
        )
    ]
    if last.low is not None and last.high is not None:
        parts.append(worded(language, "range", low=f"{last.low:g}", high=f"{last.high:g}"))
    return listed(language, [*parts, *_changes(question, course)])


def _name(question: Question, course: Course) -> str:
    return term(question.language, course.name, "test").replace(", ", " ")


def _changes(question: Question, course: Course) -> Iterator[str]:
    """The change since the first value, and the ends between."""
    numbers = course.numbers
    if len(numbers) < 2:
        return
    first, last = numbers[0], numbers[-1]
    yield _at(question, f"course_{course.direction}", first)
    for name, extreme in (("highest", course.highest), ("lowest", course.lowest)):
        if extreme.number not in (first.number, last.number):
            yield _at(question, name, extreme)


def _at(question: Question, name: str, measurement: Measurement) -> str:
    time = time_words(measurement.time)
    return worded(question.language, name, value=measurement.value, time=time)


def _sex(session: Session) -> Sex:
    if session.female is None:
        return None
    return "female" if session.female else "male"
