"""Search providers of `web_search`: the packaged clinical reference, or a SearXNG server."""

from dataclasses import dataclass
from urllib.parse import urlsplit

from wardround.core.errors import InfraError, UserError
from wardround.core.plugins import load
from wardround.ehr.terms.articles import Article
from wardround.ehr.terms.reference import SearchProvider


def open_search(name: str) -> SearchProvider:
    """Opens a provider by NAME or NAME=ADDRESS, such as `searxng=https://search.example`.

    Raises:
        UserError: there is no such provider, or it cannot be set up.
    """
    provider, _, address = name.partition("=")
    opened: SearchProvider = load("wardround.search", provider)(address)
    return opened


def open_reference(address: str) -> SearchProvider:
    """Opens the packaged reference; no keyword leaves the machine.

    Raises:
        UserError: an address was given.
    """
    if address:
        raise UserError("The search provider 'reference' takes no address; name it alone.")
    from wardround.ehr.terms import reference

    return reference


SECONDS = 20.0


@dataclass(frozen=True, slots=True)
class SearxngSearch:
    """A SearXNG server's JSON interface, which receives the keywords and nothing else."""

    address: str

    def search(self, keyword: str, k: int = 5) -> list[Article]:
        """Returns the first k results for a keyword.

        Raises:
            InfraError: the server does not respond, or its response holds no results.
        """
        import httpx2

        try:
            answer = httpx2.get(
                f"{self.address}/search",
                params={"q": keyword, "format": "json"},
                timeout=SECONDS,
            )
            results = answer.raise_for_status().json()["results"]
            return [Article(r["title"], r.get("content", ""), r["url"]) for r in results[:k]]
        except (httpx2.HTTPError, ValueError, KeyError, TypeError) as error:
            raise InfraError(
                f"The search server {self.address} gave no results ({type(error).__name__}); "
                "check that it runs and that its JSON format is switched on."
            ) from error


def open_searxng(address: str) -> SearxngSearch:
    """Opens a server by its address, such as `https://search.hospital.example`.

    Raises:
        UserError: the address is not an HTTP URL.
    """
    if urlsplit(address).scheme not in ("http", "https"):
        raise UserError(
            f"{address!r} is not a web address; name the server as --web-search searxng=https://HOST."
        )
    return SearxngSearch(address.rstrip("/"))
