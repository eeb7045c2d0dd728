"""The annotation page in a real browser, by keyboard alone: from the question to a decision."""

import time
from collections.abc import Iterator

import pytest

from tests.browser import PROGRAM, Browser, browser
from tests.served import served
from wardround.annotation.server import make_app
from wardround.annotation.store import AnnotationStore

pytestmark = pytest.mark.skipif(PROGRAM is None, reason="Chromium is not installed")
QUERY = (
    "SELECT gender, COUNT(*) AS patients FROM `mimiciv_3_1_hosp.patients` "
    "GROUP BY gender ORDER BY gender"
)


@pytest.fixture
def address(store: AnnotationStore) -> Iterator[str]:
    with served(make_app(store)) as port:
        yield f"http://127.0.0.1:{port}"


@pytest.fixture
def page() -> Iterator[Browser]:
    with browser() as opened:
        yield opened


def sign_in(page: Browser, address: str, name: str) -> None:
    page.open(f"{address}/sign-in")
    page.tab_to("#name")
    page.run("document.activeElement.select()")
    page.type(name)
    page.tab_to("button.main")
    page.press("Enter")
    page.wait("location.pathname === '/'")


def state(page: Browser) -> str:
    return str(page.run("document.querySelector('#steps .state').textContent"))


def test_an_item_is_made_by_keyboard(
    page: Browser, address: str, store: AnnotationStore, item: str
) -> None:
    sign_in(page, address, "Ada")
    page.tab_to(".items a")
    page.press("Enter")
    page.wait("location.pathname.startsWith('/item/') && document.readyState === 'complete'")
    page.tab_to("#text-question")
    page.type("How many patients are there by sex?")
    page.wait("document.querySelector('#state-question .saved').textContent.includes('version 1')")
    page.tab_to("#steps button.main")
    page.press("Enter")
    page.wait("document.querySelector('#text-sql:not([readonly])')")
    page.wait("document.readyState === 'complete'")
    for field, text in {"tables": "patients", "columns": "gender"}.items():
        page.tab_to(f"[id='text-mapping.{field}']")
        page.type(text)
    page.tab_to("#text-sql")
    page.type(QUERY)
    page.press("Enter", modifiers=2)
    page.wait("document.querySelector('#run td')")
    page.tab_to("button[name=keep]")
    page.press("Enter")
    page.wait("document.querySelector('#stored td')")
    page.wait("!document.querySelector('#steps .missing')")
    page.tab_to("#steps button.main")
    page.press("Enter")
    page.wait("document.getElementById('add-sql_rubric-')")
    page.wait("document.readyState === 'complete'")
    assert state(page) == "Waits for: Guideline annotator"

    page.tab_to("[id='add-sql_rubric-']")
    page.press("Enter")
    page.wait("document.activeElement.id === 'r-sql_rubric-0'")
    page.type("The query counts patients by sex.")
    page.wait("document.querySelector('#state-sql_rubric .previews')")
    page.tab_to("[id='dup-sql_rubric-0']")
    page.press("Enter")
    page.wait("document.getElementById('r-sql_rubric-1')")
    page.tab_to("[id='del-sql_rubric-1']")
    page.press("Enter")
    page.wait("!document.getElementById('r-sql_rubric-1')")
    page.tab_to("#state-sql_rubric button[formaction^='/undo/']")
    page.press("Enter")
    page.wait("document.getElementById('r-sql_rubric-1')")
    rubric = store.item(item, "Cem").fields["sql_rubric"].text
    assert rubric.count("The query counts patients by sex.") == 2


def test_what_a_person_types_over_anothers_text_is_not_saved_unasked(
    page: Browser, address: str, store: AnnotationStore, item: str
) -> None:
    sign_in(page, address, "Ben")
    page.open(f"{address}/item/{item}")
    store.save(item, "question", "Text of Ada", 0, "Ada")
    page.tab_to("#text-question")
    page.type("Text of Ben")
    page.wait("document.querySelector('#state-question .conflict')")
    assert page.run("document.querySelector('#text-question').value") == "Text of Ben"
    assert store.item(item, "Ben").fields["question"].text == "Text of Ada"
    page.type(", longer")
    time.sleep(2)
    assert store.item(item, "Ben").fields["question"].text == "Text of Ada"
    page.tab_to("#state-question button[hx-post^='/save/']")
    page.press("Enter")
    page.wait("!document.querySelector('#state-question .conflict')")
    assert store.item(item, "Ben").fields["question"].text == "Text of Ben, longer"


@pytest.mark.parametrize("width", [1280, 390])
def test_no_page_is_wider_than_its_window(
    page: Browser, address: str, item: str, width: int
) -> None:
    page.size(width, 800)
    sign_in(page, address, "Ada")
    for path in ("/", f"/item/{item}"):
        page.open(f"{address}{path}")
        assert page.run("document.documentElement.scrollWidth") <= width
