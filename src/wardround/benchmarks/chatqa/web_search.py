"""Search providers of `web_search`: the packaged clinical reference, or one that is configured."""

from wardround.core.errors import UserError
from wardround.core.plugins import load
from wardround.ehr.terms.reference import SearchProvider


def open_search(name: str) -> SearchProvider:
    """The provider named as NAME or NAME=ADDRESS, such as `searxng=https://search.example`.

    Raises:
        UserError: there is no such provider, or it cannot be set up.
    """
    provider, _, address = name.partition("=")
    opened: SearchProvider = load("wardround.search", provider)(address)
    return opened


def open_reference(address: str) -> SearchProvider:
    """The packaged reference; nothing leaves the machine.

    Raises:
        UserError: an address was given.
    """
    if address:
        raise UserError("The search provider 'reference' takes no address; name it alone.")
    from wardround.ehr.terms import reference

    return reference
