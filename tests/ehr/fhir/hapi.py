"""A server in the shape of HAPI: small pages, and next links that are the base with a query."""

import httpx2

from wardround.ehr.fhir.interaction import Request, Resource
from wardround.ehr.fhir.remote import RemoteServer
from wardround.ehr.fhir.workspace import Workspace

BASE = "http://hapi.test:8080/fhir"


class HapiServer:
    """Answers HTTP requests from a record, in pages of its own size.

    Args:
        workspace: the record.
        page: the most entries of a page, however many are asked for.
        link: the beginning of next links; by default the base.
    """

    def __init__(self, workspace: Workspace, page: int = 2, link: str = BASE) -> None:
        self._workspace = workspace
        self._page = page
        self._link = link
        self._found = dict[str, list[Resource]]()
        self.asked: list[str] = []

    def remote(self) -> RemoteServer:
        """The server as it is read behind its URL."""
        client = httpx2.Client(transport=httpx2.MockTransport(self._answer))
        return RemoteServer(BASE, None, client, wait=lambda seconds: None)

    def _answer(self, request: httpx2.Request) -> httpx2.Response:
        url = str(request.url)
        self.asked.append(url)
        if page := request.url.params.get("_getpages"):
            return self._paged(page, int(request.url.params["_getpagesoffset"]))
        path = url.removeprefix(BASE + "/")
        response = self._workspace.handle(Request("GET", path))
        body = response.body or {}
        if body.get("type") != "searchset":
            return httpx2.Response(response.status, json=body)
        page = str(len(self._found))
        self._found[page] = body.get("entry", [])
        return self._paged(page, 0)

    def _paged(self, page: str, start: int) -> httpx2.Response:
        found, end = self._found[page], start + self._page
        bundle: Resource = {"resourceType": "Bundle", "type": "searchset", "total": len(found)}
        bundle["link"] = [{"relation": "self", "url": f"{BASE}/Observation"}]
        if end < len(found):
            url = f"{self._link}?_getpages={page}&_getpagesoffset={end}&_bundletype=searchset"
            bundle["link"].append({"relation": "next", "url": url})
        if found:
            whole = [{**each, "fullUrl": f"{BASE}/{each['fullUrl']}"} for each in found]
            bundle["entry"] = whole[start:end]
        return httpx2.Response(200, json=bundle)
