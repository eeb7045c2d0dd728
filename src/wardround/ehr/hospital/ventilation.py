"""Invasive ventilation."""

from wardround.ehr.hospital.catalogue import toml
from wardround.ehr.hospital.random_stream import RandomStream
from wardround.ehr.hospital.stays import Span, Stay, minutes_after


def ventilation(stay: Stay) -> list[Span]:
    """The periods of invasive ventilation within ICU stays, in order."""
    draw = stay.draw("ventilation")
    facts = toml("support")["ventilator"]
    after_surgery = stay.operation is not None and stay.reason.unit == "cardiovascular"
    if not stay.intensive or not (stay.has("ventilated") or after_surgery):
        return []
    first, *returns = stay.intensive
    if stay.has("ventilated"):
        spans = [_long(draw, stay, first)]
    else:
        hours = min(first.hours, draw.quantile(facts["surgical_hours"]))
        spans = [Span(first.start, minutes_after(first.start, hours))]
    return spans + [_long(draw, stay, back) for back in returns if draw.chance(facts["again"])]


def _long(draw: RandomStream, stay: Stay, episode: Span) -> Span:
    """A period that starts within hours of arrival and ends with recovery or death."""
    started = draw.between(0.02, min(5.0, 0.2 * episode.hours))
    start = minutes_after(episode.start, started)
    if stay.died and episode.end == stay.end:
        return Span(start, episode.end)
    share = draw.quantile(toml("support")["ventilator"]["share"])
    return Span(start, minutes_after(start, max(3.0, share * (episode.hours - started))))


def ventilated_hours(stay: Stay) -> float:
    """Total ventilator hours."""
    return sum(span.hours for span in ventilation(stay))
