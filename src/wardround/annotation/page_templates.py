"""Pages and parts of pages from the templates."""

from difflib import SequenceMatcher
from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from fastapi import Request
from fastapi.responses import HTMLResponse

from wardround.annotation.sign_in import annotator_of

if TYPE_CHECKING:
    from jinja2 import Environment

_SHOWN_CONTEXT = 3


@cache
def _templates() -> "Environment":
    from jinja2 import Environment, PackageLoader, StrictUndefined

    templates = Environment(
        loader=PackageLoader("wardround.annotation"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.filters |= {"path": quote, "changes": changes}
    return templates


def render(request: Request, template: str, status: int = 200, **values: Any) -> HTMLResponse:
    """A page, or a part of one."""
    form = request.app.state.store.form
    text = (
        _templates()
        .get_template(template)
        .render(person=annotator_of(request), form=form, is_part=is_part(request), **values)
    )
    return HTMLResponse(text, status)


def is_part(request: Request) -> bool:
    """True if the page asks for a part of itself."""
    return request.headers.get("hx-request") == "true"


def refuse(request: Request, message: str, status: int = 400) -> HTMLResponse:
    """A refusal: beside what the person was doing, or as a page."""
    if not is_part(request):
        return render(request, "refusal.html", status, message=message)
    response = render(request, "message.html", status, message=message)
    response.headers.update({"HX-Retarget": "#message", "HX-Reswap": "innerHTML"})
    return response


def changes(old: str, new: str) -> list[tuple[str, str]]:
    r"""The lines of two texts with " ", "-" or "+"; long equal parts are cut to "…".

    >>> changes("a\nb", "a\nc")
    [(' ', 'a'), ('-', 'b'), ('+', 'c')]
    """
    before, after = old.splitlines(), new.splitlines()
    found: list[tuple[str, str]] = []
    for kind, a, b, c, d in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if kind == "equal":
            found += [(" ", line) for line in _shortened(before[a:b])]
        else:
            found += [("-", line) for line in before[a:b]] + [("+", line) for line in after[c:d]]
    return found


def _shortened(lines: list[str]) -> list[str]:
    if len(lines) <= 2 * _SHOWN_CONTEXT + 1:
        return lines
    return [*lines[:_SHOWN_CONTEXT], "…", *lines[-_SHOWN_CONTEXT:]]
