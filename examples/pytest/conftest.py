"""A playground for each test: its own pets, users and photos, below its own URL."""

import json
import os
import urllib.request

import pytest

SERVICE = os.environ.get("MENAGERIE_URL", "http://127.0.0.1:8080")


class Api:
    def __init__(self, base):
        self.base = base

    def __call__(self, method, path, body=None):
        """Returns the status and the JSON of the response."""
        data = None if body is None else json.dumps(body).encode()
        headers = {} if body is None else {"Content-Type": "application/json"}
        request = urllib.request.Request(f"{self.base}/{path}", data, headers, method=method)
        try:
            with urllib.request.urlopen(request) as response:
                return response.status, json.load(response)
        except urllib.error.HTTPError as error:
            with error:
                return error.code, json.load(error)


class Playground(Api):
    def __init__(self, service, token, base):
        super().__init__(base)
        self.service = service
        self.token = token

    def requests(self, query=""):
        """The recorded requests, such as those of ?operation=addPet."""
        _, requests = self.service("GET", f"playgrounds/{self.token}/requests{query}")
        return requests


@pytest.fixture
def playground():
    service = Api(f"{SERVICE}/v2")
    _, created = service("POST", "playgrounds", {"contents": "samples", "lifetimeSeconds": 600})
    yield Playground(service, created["token"], created["base"])
    service("DELETE", f"playgrounds/{created['token']}")
