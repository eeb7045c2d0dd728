"""The parser that made questions taught about a database, kept so that it is taught once."""

import hashlib
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory

from wardround.agents.parser import Parser, load, save
from wardround.agents.parser.parser_file import FORMAT
from wardround.authoring.ehrsql.parser_training import MADE, teach
from wardround.core.folders import cache_folder
from wardround.ehr.database import Database

_SEED = 1


def kept_parser(
    database: Database,
    folder: Path | None = None,
    told: Callable[[str], None] = lambda line: None,
) -> Parser:
    """The parser for a database as it is now; taught where none is kept.

    Another content of the database, another version of wardround or other settings need another
    parser; those kept for the same content are then removed.

    Args:
        database: in an EHRSQL form.
        folder: where to keep it; by default `parsers` in the user's cache folder.
        told: hears where it is kept, and of each step of teaching.

    Raises:
        UserError: as `teach`; or the file that was kept is damaged.
    """
    place = folder or cache_folder() / "parsers"
    path = place / f"{database.fingerprint()}-{_settings()}.model"
    if path.exists():
        told(f"Made questions were learnt before: {path}")
        return load(path, database)
    told(f"No parser is named: made questions are learnt once, in a minute or two: {path}")
    parser = teach(database, seed=_SEED, told=lambda step: told(f"{step} …"))
    place.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=place) as aside:
        whole = Path(aside) / path.name
        save(parser, whole)
        # Who asks at the same time puts the same bytes there.
        whole.replace(path)
    for old in place.glob(f"{database.fingerprint()}-*.model"):
        if old != path:
            old.unlink(missing_ok=True)
    return parser


def _settings() -> str:
    words = (version("wardround"), FORMAT, _SEED, MADE)
    return hashlib.sha256(repr(words).encode()).hexdigest()[:12]
