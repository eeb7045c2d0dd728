"""The annotation page on a store with an empty item, which Ada begins."""

from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from tests.hospitals import small_hospital
from wardround.annotation.server import make_app
from wardround.annotation.store import AnnotationStore
from wardround.core import plugins

KIND = plugins.work("annotate")


@pytest.fixture(scope="session")
def hospital(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_hospital(tmp_path_factory)


@pytest.fixture
def store(tmp_path: Path, hospital: Path) -> Iterator[AnnotationStore]:
    [name] = plugins.names(KIND)
    open_store = plugins.implementation(plugins.load(KIND, name).implementation)
    numbers = count(1)
    opened = open_store(tmp_path / "items", str(hospital), lambda: f"moment {next(numbers)}")
    yield opened
    opened.close()


@pytest.fixture
def item(store: AnnotationStore) -> str:
    return store.create(store.form.groups[0], "easy", "Ada")


@pytest.fixture
def sign_in(store: AnnotationStore) -> Iterator[Callable[..., TestClient]]:
    """A client for each person, by name."""
    clients: list[TestClient] = []

    def signed_in(name: str, part: bool = False) -> TestClient:
        client = TestClient(make_app(store), headers={"HX-Request": "true"} if part else {})
        roles = [role.name for role in store.form.roles]
        client.post("/sign-in", data={"name": name, "roles": roles}, headers={"HX-Request": ""})
        clients.append(client)
        return client

    yield signed_in
    for client in clients:
        client.close()
