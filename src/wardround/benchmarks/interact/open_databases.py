"""Opens the databases of a run with schema, column meanings and knowledge."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from wardround.benchmarks.kit.databases import open_databases, open_filled, schema_text
from wardround.core.errors import UserError
from wardround.ehr.database import Database
from wardround.ehr.hospital import default_hospital_on_server
from wardround.ehr.knowledge import KnowledgeBase, Meanings, own_documents, read_documents

SHIPPED = "hospital"


@dataclass(frozen=True, slots=True)
class OpenDatabase:
    """A database with its documents.

    Attributes:
        fingerprint: the hash of its content.
        schema: its tables as `CREATE TABLE` text.
        meanings: the meanings of its columns.
        knowledge: its knowledge base, unmasked.
    """

    database: Database
    fingerprint: str
    schema: str
    meanings: Meanings
    knowledge: KnowledgeBase


def open_with_documents(name: str, location: str, documents: Path | None) -> OpenDatabase:
    """Opens a database with its documents.

    Args:
        name: the name that tasks use.
        location: its file or URL.
        documents: a folder with its knowledge base and column meanings; None for wardround's
            own.

    Raises:
        UserError: it cannot be opened, is not PostgreSQL, or has empty tables, or its documents
            cannot be read.
    """
    database = open_filled(location)
    try:
        if database.dialect != "postgres":
            raise UserError(
                f"Database {database.url} is no PostgreSQL database, which BIRD-Interact's tasks "
                "are written for; name one as postgresql:NAME or postgresql://…"
            )
        loaded = read_documents(documents, name) if documents else own_documents(database)
        schema, fingerprint = schema_text(database), database.fingerprint()
        return OpenDatabase(database, fingerprint, schema, loaded.meanings, loaded.knowledge)
    except UserError:
        database.close()
        raise


def open_named_or_shipped(
    locations: Mapping[str, str], documents: Path | None
) -> dict[str, OpenDatabase]:
    """Opens databases by name, as `open_with_documents`; without any, the shipped hospital."""
    opener = partial(open_with_documents, documents=documents)
    if locations:
        return open_databases(locations, opener)
    with default_hospital_on_server() as location:
        return open_databases({SHIPPED: location}, opener)
