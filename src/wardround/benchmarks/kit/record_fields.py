"""Field types for published records, which accept null and single values for lists."""

from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

Item = TypeVar("Item")


class Record(BaseModel):
    """A published record; unknown fields are ignored."""

    model_config = ConfigDict(extra="ignore", defer_build=True)


def _texts(value: Any) -> Any:
    """Turns a list, a single text or null into a list of texts without blank ones."""
    texts = value if isinstance(value, list | tuple) else [] if value is None else [value]
    return [text for text in texts if not isinstance(text, str) or text.strip()]


def _ids(value: Any) -> Any:
    """Turns a list, a single id, -1 or null into a list of ids without -1."""
    ids = value if isinstance(value, list) else [] if value is None else [value]
    return [id for id in ids if id != -1]


def _id(value: Any) -> Any:
    ids = _ids(value)
    return ids[0] if len(ids) == 1 else ids or None


def _list(value: Any) -> Any:
    return [] if value is None else value


def _object(value: Any) -> Any:
    return {} if value is None else value


Named = Annotated[str, Field(min_length=1)]
Texts = Annotated[tuple[str, ...], BeforeValidator(_texts)]
Ids = Annotated[tuple[int, ...], BeforeValidator(_ids)]
OneId = Annotated[int | None, BeforeValidator(_id)]
# A list, or an object, that may be null in the file.
Many = Annotated[list[Item], BeforeValidator(_list)]
Part = Annotated[Item, BeforeValidator(_object)]
