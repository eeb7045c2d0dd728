"""The annotation page over HTTP: access, fields, conflicts, queries, rubrics, steps."""

import json
import re
from collections.abc import Callable
from html import unescape
from typing import TypeAlias

import pytest
from fastapi.testclient import TestClient

from wardround.annotation.server import make_app
from wardround.annotation.store import AnnotationStore
from wardround.apps.web.access import check_exposure
from wardround.core.errors import UserError

SignIn: TypeAlias = Callable[..., TestClient]
QUERY = (
    "SELECT gender, COUNT(*) AS patients FROM `mimiciv_3_1_hosp.patients` "
    "GROUP BY gender ORDER BY gender"
)
EVERYWHERE = "0.0.0.0"  # noqa: S104  refused
TOKEN = "a token of good length"


def at_sql(store: AnnotationStore, item: str) -> None:
    store.save(item, "question", "How many patients are there by sex?", 0, "Ada")
    store.finish(item, "Ada")


def at_guideline(store: AnnotationStore, item: str) -> None:
    at_sql(store, item)
    store.save(item, "sql", QUERY, 0, "Ben")
    store.save(item, "mapping.tables", "patients", 0, "Ben")
    store.save(item, "mapping.columns", "gender", 0, "Ben")
    store.keep_result(item, "Ben")
    store.finish(item, "Ben")


def form_values(text: str, name: str) -> dict[str, list[str]]:
    """The values of a rubric's form, as a browser would send them."""
    form = text.partition(f'data-rubric="{name}"')[2].partition("</form>")[0]
    values: dict[str, list[str]] = {}
    for tag in re.findall(r"<input[^>]*>", form):
        found = dict(re.findall(r'(\w+)="([^"]*)"', tag))
        if found.get("type") != "checkbox" or " checked" in tag:
            values.setdefault(found["name"], []).append(found.get("value", "on"))
    for field, content in re.findall(r'name="(requirement[^"]*)"[^>]*>([^<]*)<', form):
        values[field] = [unescape(content)]
    for field, options in re.findall(r'name="(weight[^"]*)">(.*?)</select>', form, re.DOTALL):
        values[field] = re.findall(r'value="(\d+)"[^>]* selected', options)
    return values


def test_a_stranger_is_asked_for_a_name(store: AnnotationStore) -> None:
    with TestClient(make_app(store)) as client:
        assert client.get("/", follow_redirects=False).headers["location"] == "/sign-in"
        assert client.post("/sign-in", data={"name": " "}).status_code == 403


def test_a_token_is_needed_beyond_this_machine(store: AnnotationStore) -> None:
    with pytest.raises(UserError, match="--token"):
        check_exposure(EVERYWHERE, None)
    with pytest.raises(UserError, match="--token"):
        check_exposure("192.168.1.4", "short")
    check_exposure(EVERYWHERE, TOKEN)
    with TestClient(make_app(store, TOKEN)) as client:
        client.cookies.set("annotator", "name=Eve")
        assert client.get("/", follow_redirects=False).status_code == 303
        wrong = client.post("/sign-in", data={"name": "Eve", "token": "wrong"})
        assert wrong.status_code == 403
        client.post("/sign-in", data={"name": "Eve", "token": TOKEN})
        assert client.get("/", follow_redirects=False).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [{"host": "evil.example"}, {"origin": "http://evil.example"}, {"sec-fetch-site": "cross-site"}],
)
def test_another_site_reaches_nothing(sign_in: SignIn, item: str, headers: dict[str, str]) -> None:
    sent = sign_in("Ada").post(f"/comment/{item}", data={"text": "hi"}, headers=headers)
    assert sent.status_code == 403


def test_the_list_shows_first_what_waits(sign_in: SignIn, item: str) -> None:
    page = sign_in("Ada").get("/").text
    assert page.index(f"/item/{item}") < page.index("Other items")


def test_pages_load_nothing_from_elsewhere(sign_in: SignIn, item: str) -> None:
    client = sign_in("Ada")
    for address in ("/", "/sign-in", f"/item/{item}"):
        answer = client.get(address)
        assert not re.search(r'(src|href)="(https?:)?//', answer.text)
        assert "default-src 'self'" in answer.headers["content-security-policy"]
    for file in ("vendored/htmx.min.js", "static/page.js", "static/style.css"):
        assert client.get(f"/{file}").status_code == 200


def test_every_input_has_a_label(sign_in: SignIn, store: AnnotationStore, item: str) -> None:
    at_guideline(store, item)
    store.save(item, "sql_rubric", store.draft(item, "sql_rubric"), 0, "Cem")
    page = sign_in("Cem").get(f"/item/{item}").text
    ids = re.findall(r'<(?:input|textarea|select)(?![^>]*type="hidden")[^>]* id="([^"]+)"', page)
    outside = [id for id in ids if f'for="{id}"' not in page and not _inside_label(page, id)]
    assert ids
    assert outside == []
    assert sorted(set(ids)) == sorted(ids)


def _inside_label(page: str, id: str) -> bool:
    before = page[: page.index(f'id="{id}"')]
    return before.rfind("<label") > before.rfind("</label>")


def test_saving_shows_the_version_and_what_is_left(sign_in: SignIn, item: str) -> None:
    client = sign_in("Ada", part=True)
    assert "Write the question" in client.get(f"/item/{item}").text
    part = client.post(f"/save/question/{item}", data={"text": "How many?", "version": 0}).text
    assert "Saved, version 1" in part
    assert "Write the question" not in part


def test_a_conflict_shows_both_texts(sign_in: SignIn, item: str) -> None:
    ada, ben = sign_in("Ada", part=True), sign_in("Ben", part=True)
    ada.post(f"/save/question/{item}", data={"text": "Text of Ada", "version": 0})
    part = ben.post(f"/save/question/{item}", data={"text": "Text of Ben", "version": 0}).text
    assert "Ada saved this before you" in part
    assert "Text of Ada" in part
    assert "Text of Ben" in part
    over = ben.post(f"/save/question/{item}", data={"text": "Text of Ben", "version": 1}).text
    assert "Saved, version 2" in over
    history = ada.get(f"/history/question/{item}").text
    assert history.count("Text of Ada") > 0 < history.count("set aside")


def test_a_conflict_without_scripts_is_a_page(sign_in: SignIn, item: str) -> None:
    sign_in("Ada").post(f"/save/question/{item}", data={"text": "Text of Ada", "version": 0})
    page = sign_in("Ben").post(f"/save/question/{item}", data={"text": "Of Ben", "version": 0})
    assert "Ada saved this before you" in page.text
    assert "Of Ben</textarea>" in page.text


def test_undo_brings_the_text_back(sign_in: SignIn, item: str) -> None:
    client = sign_in("Ada", part=True)
    for version, text in enumerate(["First?", "Second?"]):
        client.post(f"/save/question/{item}", data={"text": text, "version": version})
    assert "First?</textarea>" in client.post(f"/undo/question/{item}", data={"version": 2}).text


def test_a_query_runs_and_its_result_is_stored(
    sign_in: SignIn, store: AnnotationStore, item: str
) -> None:
    at_sql(store, item)
    client = sign_in("Ben", part=True)
    shown = client.post(f"/run/sql/{item}", data={"text": QUERY, "version": 0}).text
    assert '<th scope="col">patients</th>' in shown
    assert "Store the result" in shown or "Record tables" in shown
    data = {"text": QUERY, "version": "1", "keep": "true"}
    kept = client.post(f"/run/sql/{item}", data=data).text
    assert "No result is stored yet" not in kept


@pytest.mark.parametrize(
    "query", ["SELECT * FROM nothing_here", "DROP TABLE patients", "SELECT 1; SELECT 2"]
)
def test_a_query_that_fails_is_a_message(
    sign_in: SignIn, store: AnnotationStore, item: str, query: str
) -> None:
    at_sql(store, item)
    answer = sign_in("Ben", part=True).post(f"/run/sql/{item}", data={"text": query, "version": 0})
    assert answer.status_code == 200
    assert 'class="message"' in answer.text
    assert "Traceback" not in answer.text


def test_a_text_of_markup_stays_text(sign_in: SignIn, item: str) -> None:
    client = sign_in("<b>Eve</b>")
    client.post(f"/save/question/{item}", data={"text": "</textarea><script>x", "version": 0})
    page = client.get(f"/item/{item}").text
    assert "<script>x" not in page
    assert "<b>Eve</b>" not in page


def test_a_rubric_is_built_node_by_node(sign_in: SignIn, store: AnnotationStore, item: str) -> None:
    at_guideline(store, item)
    client = sign_in("Cem", part=True)
    address, page = f"/rubric/sql_rubric/{item}", client.get(f"/item/{item}").text
    for action in ("add ", "add 0", "duplicate 0.0", "down 0.0"):
        values = form_values(page, "sql_rubric")
        if action == "duplicate 0.0":
            values |= {"requirement.0.0": ["Only women are kept."], "critical.0.0": ["on"]}
        answer = client.post(address, data={**values, "do": [action]})
        assert answer.headers["hx-retarget"] == "#sql_rubric"
        page = answer.text
    tree = json.loads(client.get(f"/export/sql_rubric/{item}").text)
    [section] = tree["sub_tasks"]
    assert [leaf["requirements"] for leaf in section["sub_tasks"]] == ["Only women are kept."] * 2
    assert [leaf["critical"] for leaf in section["sub_tasks"]] == [True, True]
    assert len({leaf["id"] for leaf in section["sub_tasks"]}) == 2


def test_the_preview_follows_the_ticked_leaves(
    sign_in: SignIn, store: AnnotationStore, item: str
) -> None:
    at_guideline(store, item)
    client = sign_in("Cem", part=True)
    page = client.post(f"/draft/results_rubric/{item}", data={"version": 0}).text
    values = form_values(page, "results_rubric")
    values.pop("met", None)
    none = client.post(f"/rubric/results_rubric/{item}", data=values).text
    assert "<td>0.000</td>" in none
    assert "Saved, version 1" in none


def test_faults_of_a_rubric_are_named_at_once(
    sign_in: SignIn, store: AnnotationStore, item: str
) -> None:
    at_guideline(store, item)
    client = sign_in("Cem", part=True)
    page = client.post(f"/draft/sql_rubric/{item}", data={"version": 0}).text
    values = form_values(page, "sql_rubric") | {"id.0": ["same"], "id.1": ["same"]}
    assert "its id stands 2 times" in client.post(f"/rubric/sql_rubric/{item}", data=values).text


def test_a_rubric_file_is_imported_and_a_broken_one_refused(
    sign_in: SignIn, store: AnnotationStore, item: str
) -> None:
    at_guideline(store, item)
    client, address = sign_in("Cem"), f"/import/sql_rubric/{item}"
    tree = {"id": "r", "sub_tasks": [{"id": "leaf", "requirements": "Women only."}]}
    client.post(address, data={"version": 0}, files={"file": ("t.json", json.dumps(tree))})
    assert "Women only." in client.get(f"/export/sql_rubric/{item}").text
    deep = "[" * 100_000
    broken = client.post(address, data={"version": 1}, files={"file": ("t.json", deep)})
    assert broken.status_code == 400
    assert "not valid JSON" in broken.text


def test_a_validator_decides(sign_in: SignIn, store: AnnotationStore, item: str) -> None:
    at_guideline(store, item)
    for field in ("sql_rubric", "results_rubric"):
        store.save(item, field, store.draft(item, field), 0, "Cem")
    client = sign_in("Cem", part=True)
    assert client.post(f"/finish/{item}").headers["hx-redirect"] == f"/item/{item}"
    answers = {point.name: "yes" for point in store.form.checklist}
    decision = {"outcome": "as-is", "level": "easy"}
    assert "wrote no part" in client.post(f"/decide/{item}", data=decision).text
    validator = sign_in("Dia", part=True)
    validator.post(f"/answer/{item}", data=answers)
    assert validator.post(f"/decide/{item}", data=decision).status_code == 204
    assert "Validated" in validator.get("/").text


def test_an_unknown_item_or_field_is_a_message(sign_in: SignIn, item: str) -> None:
    client = sign_in("Ada")
    for address in ("/item/no/such/item", f"/history/nothing/{item}", f"/export/nothing/{item}"):
        answer = client.get(address)
        assert answer.status_code == 400
        assert "There is no" in answer.text


def test_a_fault_shows_no_traceback_and_logs_no_text(
    sign_in: SignIn,
    item: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    store: AnnotationStore,
) -> None:
    def fails(*arguments: object) -> None:
        raise RuntimeError("patient 10001")

    client = sign_in("Ada")
    monkeypatch.setattr(store, "item", fails)
    answer = client.get(f"/item/{item}")
    assert answer.status_code == 500
    assert "10001" not in answer.text + caplog.text
    assert "RuntimeError" in caplog.text


def test_schema_names_and_record_are_beside_the_item(
    sign_in: SignIn, store: AnnotationStore, item: str
) -> None:
    client = sign_in("Ada", part=True)
    assert "admissions" in client.get("/schema").text
    found = client.get("/look-up", params={"name": "labs", "text": "sodium"}).text
    assert "odium" in found
    assert "no anchor" in client.get(f"/record/{item}").text


def test_pages_to_annotate_refuse_large_bodies(store: AnnotationStore) -> None:
    answer = TestClient(make_app(store)).post(
        "/sign-in", content=b"", headers={"content-length": "600000000"}
    )
    assert answer.status_code == 413
    assert "larger than" in answer.text
