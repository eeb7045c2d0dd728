"""Binds an assessment to what was assessed, so that nothing else is served by it.

The binding is a signed file beside the assessment's runs. The settings of agent, model and limits
are those of the runs themselves, which are signed too.
"""

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from pydantic import TypeAdapter

from wardround import __version__
from wardround.assessment.policy import Policy
from wardround.assistant.content import Content, content_of, schema_of
from wardround.core import plugins
from wardround.core.errors import UserError
from wardround.core.installed_packages import installed_version
from wardround.core.line_chain import Chain
from wardround.core.private_files import write_whole
from wardround.core.run_document import SETTINGS, read_document
from wardround.core.run_key import run_key
from wardround.core.run_reader import STARTED, read_settings
from wardround.core.task import digest
from wardround.ehr.database import Database
from wardround.models.model import ModelSettings
from wardround.models.own_model import GROUP as OWN_MODELS
from wardround.models.own_model import own_model
from wardround.runs.agent_files import agent_files, code_files, content_digest
from wardround.runs.open_run import settings_of
from wardround.runs.settings import RunSettings

FILE = "binding.json"
RUNS = "runs"
_TIME = "%Y-%m-%dT%H:%M:%SZ"


@dataclass(frozen=True, slots=True)
class Binding:
    """The subject of an assessment, as far as its runs do not tell it.

    Attributes:
        time: when its last run was started, in UTC.
        runs: the ids of its runs, by the names of their folders.
        engine: the database's SQL dialect.
        files: the digests of the files that the settings name, by path.
        content: the content of the database.
        policy: the digest of the policy by which it was decided; "" without one.
        servers: the addresses at which models of providers were asked, by the models' names.
    """

    time: str
    runs: Mapping[str, str]
    engine: str
    files: Mapping[str, str]
    content: Content
    policy: str = ""
    servers: Mapping[str, str] = field(default_factory=dict)

    @property
    def age(self) -> timedelta:
        """The time since the assessment's last run was started."""
        started = datetime.strptime(self.time, _TIME).replace(tzinfo=UTC)
        return datetime.now(UTC) - started


def bind(folder: Path, database: Database, policy: Policy | None) -> None:
    """Writes the binding of an assessment whose trials are all on disk.

    Written again, it is as old as before.
    """
    binding = Binding(
        _started(folder),
        _run_ids(folder),
        database.dialect,
        _files(folder),
        content_of(database),
        policy_digest(policy) if policy is not None else "",
        _servers(folder),
    )
    document = TypeAdapter(Binding).dump_python(binding, mode="json")
    write_whole(folder / FILE, _chain().signed_document(document))


def read_binding(folder: Path) -> Binding:
    """Reads the binding of an assessment.

    Raises:
        UserError: there is none, or it was changed or made with another key.
    """
    path = folder / FILE
    if not path.is_file():
        raise UserError(
            f"{folder} holds no finished assessment (it has no {FILE}); finish it with the same "
            "wardround assess command."
        )
    document = _chain().checked_document(path.read_bytes())
    if document is None:
        raise UserError(
            f"{path} was changed, or written with another key, so the assessment cannot be "
            "trusted; assess the agent again."
        )
    return TypeAdapter(Binding).validate_python(document)


def policy_digest(policy: Policy) -> str:
    """The digest of a policy's rules, those for serving included."""
    return digest(policy.model_dump(mode="json"))


def differences(binding: Binding, folder: Path, database: Database) -> list[str]:
    """The differences from what was assessed that stop serving, in words."""
    return list(_differences(binding, folder, database))


def run_folders(folder: Path) -> list[Path]:
    """The folders of an assessment's runs, in order of their names."""
    return sorted(path.parent for path in (folder / RUNS).glob(f"*/{SETTINGS}"))


def _differences(binding: Binding, folder: Path, database: Database) -> Iterator[str]:
    if binding.runs != _run_ids(folder):
        yield "its runs are not those that were assessed"
    installed = {"wardround": __version__, "pydantic-ai": installed_version("pydantic-ai-slim")}
    for each in run_folders(folder):
        for name, assessed in read_settings(each).get("versions", {}).items():
            if installed.get(name, assessed) != assessed:
                yield f"{name} {assessed} was assessed, and {installed[name]} is installed"
    if binding.engine != database.dialect:
        yield f"the database was on {binding.engine} when assessed, and is on {database.dialect}"
    if binding.content.schema != schema_of(database):
        yield "the database's tables or columns were changed"
    files = _files(folder)
    for name in binding.files.keys() | files.keys():
        if binding.files.get(name) != files.get(name):
            yield f"the file {name} was changed"
    servers = _servers(folder)
    for name in binding.servers.keys() | servers.keys():
        before, now = binding.servers.get(name, ""), servers.get(name, "")
        if before != now:
            yield (
                f"the model {name} was at {before or 'an unknown server'} when assessed, and is at "
                f"{now or 'an unknown server'}"
            )


def _chain() -> Chain:
    return Chain(run_key(), "assessment", FILE)


def _started(folder: Path) -> str:
    """The time at which the last run was started, as the runs say."""
    times = [
        datetime.fromisoformat(started).astimezone(UTC)
        for each in run_folders(folder)
        if (started := read_settings(each).get(STARTED))
    ]
    return max(times).strftime(_TIME)


def _run_ids(folder: Path) -> dict[str, str]:
    """The ids of runs that are as they were written."""
    documents = {each.name: read_document(each) for each in run_folders(folder)}
    return {
        name: document.signer.run
        for name, document in documents.items()
        if document.signer is not None and document.genuine
    }


def _files(folder: Path) -> dict[str, str]:
    """The digests of the files from which agent, models and record map are read, by path."""
    named = {
        path
        for each in run_folders(folder)
        for settings in [settings_of(each)]
        for path in (
            *agent_files(settings),
            *_model_files(settings.models.values()),
            *_named_files(settings),
        )
        if path.is_file()
    }
    return {str(path): content_digest(path) for path in sorted(named)}


def _servers(folder: Path) -> dict[str, str]:
    """The servers of the models of providers, by the models' names.

    Models at addresses in the settings are bound with the settings.
    """
    models = [
        each
        for run in run_folders(folder)
        for each in settings_of(run).models.values()
        if each.base_url is None and own_model(each) is None
    ]
    if not models:
        return {}
    from wardround.models.provider import server_of

    return {each.name: server_of(each) for each in models}


def _model_files(models: Iterable[ModelSettings]) -> list[Path]:
    """The files of the models that are functions of the user, or of an installed plug-in."""
    names = [each.name for each in models if own_model(each) is not None]
    return [path for name in names for path in code_files(plugins.place_of(OWN_MODELS, name))]


def _named_files(settings: RunSettings) -> list[Path]:
    """The files that options of the benchmark and of the agent name, such as a record map.

    The agent's are texts: a file alone, or after `=`, as in `mapped=FILE`.
    """
    paths = [value for value in settings.options.model_dump().values() if isinstance(value, Path)]
    texts = [text.rpartition("=")[2] for text in settings.agent_settings.values()]
    # A path's own test fails where a text is longer than a name may be.
    named = [Path(text) for text in texts if os.path.isfile(text)]  # noqa: PTH113
    return [*paths, *named]
