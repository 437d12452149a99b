"""The Python SDK's client and FastMCP's log in to `plainly serve`, and use it: with the scope that it wants, with less, with a
token that ends, and with a key. `callers.mjs` starts it, with the servers.

usage: python callers.py JSON
"""

import asyncio
import base64
import json
import logging
import subprocess
import sys
import warnings
import webbrowser
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

sys.path.insert(0, str(Path(__file__).parent.parent / "python"))

import fastmcp
import httpx2
from fastmcp.client.auth import OAuth
from mcp.client import Client
from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider
from mcp.client.auth.extensions.client_credentials import ClientCredentialsOAuthProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import OAuthClientMetadata, OAuthToken

from harness import ERAS, Tally

GIVEN = json.loads(sys.argv[1])
CALLBACK = "http://127.0.0.1:65000/callback"


class Account:
    """Keeps what the SDK wants to have kept, and is the person who logs in."""

    def __init__(self) -> None:
        self.tokens = None
        self.client = None
        self.pages = []
        self.kept = []

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens) -> None:
        self.kept.append(tokens)
        self.tokens = tokens

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, client) -> None:
        self.client = client

    async def redirect(self, url: str) -> None:
        self.pages.append({name: value for name, [value] in parse_qs(urlsplit(url).query).items()})
        person = await asyncio.create_subprocess_exec(GIVEN["node"], GIVEN["person"], url, stdout=subprocess.PIPE)
        printed, _ = await person.communicate()
        self.back = {name: value for name, [value] in parse_qs(urlsplit(printed.decode().strip()).query).items()}

    async def callback(self) -> AuthorizationCodeResult:
        if "error" in self.back:
            raise RuntimeError(self.back["error"])
        return AuthorizationCodeResult(code=self.back["code"], state=self.back["state"], iss=self.back.get("iss"))

    def asked(self) -> list[set[str]]:
        """The scopes that it was asked for, page by page."""
        return [set(page.get("scope", "").split()) for page in self.pages]

    def provider(self, url: str) -> OAuthClientProvider:
        metadata = OAuthClientMetadata(
            client_name="interop",
            redirect_uris=[CALLBACK],
            grant_types=["authorization_code", "refresh_token"],
            response_types=["code"],
            token_endpoint_auth_method="none",
            # What is registered is all that may be asked for later.
            scope="openid offline_access notes:read notes:write",
        )
        return OAuthClientProvider(url, metadata, self, self.redirect, self.callback)


async def use(client) -> str:
    """Lists, reads and calls."""
    lists = client.list_resources_mcp if isinstance(client, fastmcp.Client) else client.list_resources
    resources = (await lists()).resources
    uri = next(str(resource.uri) for resource in resources if str(resource.uri).endswith("note.txt"))
    read = await client.read_resource(uri)
    (content,) = read if isinstance(read, list) else read.contents
    assert content.text == "Be kind.", content
    called = await client.call_tool("read_resource", {"uri": uri})
    assert "Be kind." in str(called), called
    return f"{len(resources)} resources"


async def with_sdk(url: str, http: httpx2.AsyncClient, mode: str = "auto", pause: float = 0) -> str:
    """Uses the server; once more after a pause, if there is one."""
    async with Client(streamable_http_client(url, http_client=http), mode=mode) as client:
        seen = await use(client)
        if pause:
            await asyncio.sleep(pause)
            await use(client)
        return seen


async def logged_in(url: str, account: Account, **options) -> str:
    async with httpx2.AsyncClient(auth=account.provider(url), timeout=30) as http:
        return await with_sdk(url, http, **options)


async def batch_token(url: str, scope: str) -> str:
    """A token of the client that needs nobody."""
    pair = base64.b64encode(f"{GIVEN['batch']['id']}:{GIVEN['batch']['secret']}".encode()).decode()
    async with httpx2.AsyncClient() as http:
        answer = await http.post(
            f"{GIVEN['issuer']}/token",
            data={"grant_type": "client_credentials", "resource": url, "scope": scope},
            headers={"authorization": f"Basic {pair}"},
        )
    return answer.json()["access_token"]


def causes(error: BaseException) -> str:
    """All that an error says, group by group."""
    inner = getattr(error, "exceptions", ())
    return " | ".join([f"{type(error).__name__}: {error}", *map(causes, inner)])


async def sdk(tally: Tally) -> None:
    for era, mode in ERAS.items():
        account = Account()

        async def log_in(account=account, mode=mode) -> str:
            seen = await logged_in(GIVEN["reading"], account, mode=mode)
            assert len(account.pages) == 1 and account.client.client_id, account.pages
            page = account.pages[0]
            assert page["resource"] == GIVEN["reading"] and page["code_challenge_method"] == "S256", page
            return f"{seen}, asked for {page['scope']}"

        await tally.step(f"SDK, {era}: registers, logs in and reads", log_in)

        async def as_public_client(mode=mode) -> str:
            account = Account()
            seen = await logged_in(GIVEN["public"]["url"], account, mode=mode)
            assert account.client.client_id == GIVEN["public"]["id"], account.client
            return seen

        await tally.step(f"SDK, {era}: is the client that the server names", as_public_client)

    async def alone() -> str:
        batch = GIVEN["batch"]
        auth = ClientCredentialsOAuthProvider(
            GIVEN["reading"], Account(), batch["id"], batch["secret"], scope="notes:read", issuer=GIVEN["issuer"]
        )
        async with httpx2.AsyncClient(auth=auth, timeout=30) as http:
            return await with_sdk(GIVEN["reading"], http)

    await tally.step("SDK: a client needs nobody", alone)

    async def step_up() -> str:
        account = Account()
        token = await batch_token(GIVEN["writing"], "notes:read")
        account.tokens = OAuthToken(access_token=token, token_type="Bearer", scope="notes:read", expires_in=3600)
        await logged_in(GIVEN["writing"], account)
        (asked,) = account.asked()
        assert {"notes:read", "notes:write"} <= asked, asked
        return f"asked for {' '.join(sorted(asked))}"

    await tally.step("SDK: with less than the scope, asks for more", step_up)

    async def renew() -> str:
        account = Account()
        await logged_in(GIVEN["short"], account, pause=GIVEN["seconds"] + 1)
        assert len(account.pages) == 1, account.pages
        assert len({tokens.access_token for tokens in account.kept}) > 1, "it was not renewed"
        return f"{len(account.kept)} tokens, 1 login"

    await tally.step("SDK: renews a token that has ended", renew)

    async def forbidden() -> str:
        account = Account()
        try:
            await logged_in(GIVEN["forbidden"], account)
        except Exception as error:
            assert 1 <= len(account.pages) <= 4, (account.pages, causes(error))
            return f"{len(account.pages)} logins"
        raise AssertionError("it was let in")

    await tally.step("SDK: a scope that nobody gets ends it", forbidden)

    async def refused(url: str, token: str | None, status: int) -> None:
        statuses = []

        async def see(answer: httpx2.Response) -> None:
            statuses.append(answer.status_code)

        headers = {} if token is None else {"authorization": f"Bearer {token}"}
        try:
            async with httpx2.AsyncClient(timeout=30, headers=headers, event_hooks={"response": [see]}) as http:
                await with_sdk(url, http)
        except Exception as error:
            assert set(statuses) == {status}, (statuses, causes(error))
        else:
            raise AssertionError("it was let in")

    narrow = await batch_token(GIVEN["writing"], "notes:read")
    await tally.step("SDK: without a login, 403 ends it", lambda: refused(GIVEN["writing"], narrow, 403))
    await tally.step("SDK: without a token, 401 ends it", lambda: refused(GIVEN["reading"], None, 401))
    for era, mode in ERAS.items():

        async def by_key(mode=mode) -> str:
            async with httpx2.AsyncClient(timeout=30, headers={"authorization": f"Bearer {GIVEN['key']}"}) as http:
                return await with_sdk(GIVEN["keyed"], http, mode)

        await tally.step(f"SDK, {era}: a key lets in", by_key)
    await tally.step("SDK: another key does not", lambda: refused(GIVEN["keyed"], f"{GIVEN['key']}x", 401))


class Browser(webbrowser.BaseBrowser):
    """The person, as a browser: does not keep whoever opens it waiting."""

    def open(self, url: str, new: int = 0, autoraise: bool = True) -> bool:
        # The callback is listened to only after this.
        program = "import subprocess, sys, time; time.sleep(0.5); subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL)"
        subprocess.Popen([sys.executable, "-c", program, GIVEN["node"], GIVEN["person"], url])
        return True


async def with_fastmcp(tally: Tally) -> None:
    webbrowser.register("person", None, Browser(), preferred=True)

    async def log_in(mode: str) -> str:
        async with fastmcp.Client(GIVEN["reading"], auth="oauth", mode=mode) as client:
            return await use(client)

    for era, mode in ERAS.items():
        await tally.step(f"FastMCP, {era}: registers, logs in and reads", lambda mode=mode: log_in(mode))

    async def as_public_client() -> str:
        async with fastmcp.Client(GIVEN["public"]["url"], auth="oauth") as client:
            return await use(client)

    await tally.step("FastMCP: is the client that the server names", as_public_client)

    async def renew() -> str:
        auth = OAuth(scopes=["notes:read", "offline_access"])
        async with fastmcp.Client(GIVEN["short"], auth=auth) as client:
            await use(client)
            first = (await auth.token_storage_adapter.get_tokens()).access_token
            await asyncio.sleep(GIVEN["seconds"] + 1)
            await use(client)
            tokens = await auth.token_storage_adapter.get_tokens()
            assert tokens.access_token != first and tokens.refresh_token, "it was not renewed"

    await tally.step("FastMCP: renews a token that has ended", renew)

    async def keyed() -> str:
        async with fastmcp.Client(GIVEN["keyed"], auth=GIVEN["key"]) as client:
            return await use(client)

    await tally.step("FastMCP: a key lets in", keyed)


async def main() -> int:
    tally = Tally()
    await sdk(tally)
    await with_fastmcp(tally)
    print(f"{tally.passed} steps passed, {tally.failed} failed")
    return 0 if tally.passed and not tally.failed else 1


logging.disable(logging.CRITICAL)
warnings.simplefilter("ignore")
sys.exit(asyncio.run(main()))
