"""Fields of published records, as lenient about empty and single values as published files are."""

from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

Item = TypeVar("Item")


class Record(BaseModel):
    """A record whose other fields are ignored."""

    model_config = ConfigDict(extra="ignore", defer_build=True)


def _texts(value: Any) -> Any:
    """A list of texts from a list, from one text or from nothing; blank ones are left out."""
    found = value if isinstance(value, list | tuple) else [] if value is None else [value]
    return [text for text in found if not isinstance(text, str) or text.strip()]


def _ids(value: Any) -> Any:
    """A list of ids from a list, from one id or from -1 or nothing for none."""
    found = value if isinstance(value, list) else [] if value is None else [value]
    return [id for id in found if id != -1]


def _id(value: Any) -> Any:
    found = _ids(value)
    return found[0] if len(found) == 1 else found or None


def _list(value: Any) -> Any:
    return [] if value is None else value


def _object(value: Any) -> Any:
    return {} if value is None else value


Named = Annotated[str, Field(min_length=1)]
Texts = Annotated[tuple[str, ...], BeforeValidator(_texts)]
Ids = Annotated[tuple[int, ...], BeforeValidator(_ids)]
OneId = Annotated[int | None, BeforeValidator(_id)]
# A list, or an object, that may be null.
Many = Annotated[list[Item], BeforeValidator(_list)]
Part = Annotated[Item, BeforeValidator(_object)]
