"""Opens the databases of a run with schema, column meanings and knowledge."""

from dataclasses import dataclass
from pathlib import Path

from wardround.benchmarks.kit.databases import open_filled, schema_text
from wardround.core.errors import UserError
from wardround.ehr.database import Database
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


def open_with_documents(name: str, place: str, documents: Path | None) -> OpenDatabase:
    """Opens a database with its documents.

    Args:
        name: the name that tasks use.
        place: its file or URL.
        documents: a folder with its knowledge base and column meanings; None for wardround's
            own.

    Raises:
        UserError: it cannot be opened, is not PostgreSQL, or has empty tables, or its documents
            cannot be read.
    """
    database = open_filled(place)
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


def shipped_database() -> dict[str, str]:
    """Returns the synthetic hospital on wardround's own server, created on first use."""
    from wardround.ehr.hospital import default_hospital_on_server

    return {SHIPPED: default_hospital_on_server()}
