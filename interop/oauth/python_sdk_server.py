"""A server on the official Python SDK, and beside it, elsewhere, an authorization server on the same: people are asked whether
they agree, tokens are for the resource that they were asked for, and the one server asks the other what they are worth. Or both
in one, in the manner of 2025-03-26: without metadata of the resource.

usage: python python_sdk_server.py [both]   (its URL is its first line of output; then it obeys `expire`, `revoke` and `forget`)
"""

import asyncio
import secrets
import sys
import time
from html import escape

import httpx2
from mcp.server.auth.provider import (
    AccessToken,
    AuthorizationCode,
    AuthorizationParams,
    OAuthAuthorizationServerProvider,
    RefreshToken,
    TokenVerifier,
    construct_redirect_uri,
)
from mcp.server.auth.routes import create_auth_routes
from mcp.server.auth.settings import AuthSettings, ClientRegistrationOptions, RevocationOptions
from mcp.server.mcpserver import MCPServer
from mcp.shared.auth import OAuthClientInformationFull, OAuthToken
from pydantic import AnyHttpUrl
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from standing import bound, stand

SECONDS = 3600
PAGE = """<form method="post" action="/consent"><input type="hidden" name="asked" value="{asked}"><button>Agree</button></form>
<a href="/refuse?asked={asked}">Cancel</a>"""


class Accounts(OAuthAuthorizationServerProvider[AuthorizationCode, RefreshToken, AccessToken]):
    """What the authorization server knows."""

    def __init__(self) -> None:
        self.clients: dict[str, OAuthClientInformationFull] = {}
        self.asked: dict[str, tuple[str, AuthorizationParams]] = {}
        self.codes: dict[str, AuthorizationCode] = {}
        self.access: dict[str, AccessToken] = {}
        self.refresh: dict[str, RefreshToken] = {}

    async def get_client(self, client_id: str) -> OAuthClientInformationFull | None:
        return self.clients.get(client_id)

    async def register_client(self, client_info: OAuthClientInformationFull) -> None:
        self.clients[str(client_info.client_id)] = client_info

    async def authorize(self, client: OAuthClientInformationFull, params: AuthorizationParams) -> str:
        asked = secrets.token_urlsafe()
        self.asked[asked] = (str(client.client_id), params)
        return f"/consent?asked={asked}"

    def agreed(self, asked: str) -> str:
        """The person agrees: where their browser goes."""
        client_id, params = self.asked.pop(asked)
        code = AuthorizationCode(
            code=secrets.token_urlsafe(),
            # Who asks for none gets those of the registration.
            scopes=params.scopes or str(self.clients[client_id].scope).split(),
            expires_at=time.time() + 60,
            client_id=client_id,
            code_challenge=params.code_challenge,
            redirect_uri=params.redirect_uri,
            redirect_uri_provided_explicitly=params.redirect_uri_provided_explicitly,
            resource=params.resource,
            subject="ada",
        )
        self.codes[code.code] = code
        return construct_redirect_uri(str(params.redirect_uri), code=code.code, state=params.state)

    def refused(self, asked: str) -> str:
        """The person does not agree."""
        _, params = self.asked.pop(asked)
        return construct_redirect_uri(str(params.redirect_uri), error="access_denied", state=params.state)

    async def load_authorization_code(self, client: object, authorization_code: str) -> AuthorizationCode | None:
        return self.codes.get(authorization_code)

    async def exchange_authorization_code(self, client: object, authorization_code: AuthorizationCode) -> OAuthToken:
        del self.codes[authorization_code.code]
        return self.tokens(authorization_code, authorization_code.scopes)

    async def load_refresh_token(self, client: object, refresh_token: str) -> RefreshToken | None:
        return self.refresh.get(refresh_token)

    async def exchange_refresh_token(
        self, client: object, refresh_token: RefreshToken, scopes: list[str]
    ) -> OAuthToken:
        del self.refresh[refresh_token.token]
        return self.tokens(refresh_token, scopes)

    def tokens(self, of: AuthorizationCode | RefreshToken, scopes: list[str]) -> OAuthToken:
        both = {"client_id": of.client_id, "scopes": scopes, "resource": of.resource, "subject": of.subject}
        access, refresh = secrets.token_urlsafe(), secrets.token_urlsafe()
        self.access[access] = AccessToken(token=access, expires_at=int(time.time()) + SECONDS, **both)
        self.refresh[refresh] = RefreshToken(token=refresh, **both)
        return OAuthToken(
            access_token=access,
            token_type="Bearer",
            expires_in=SECONDS,
            refresh_token=refresh,
            scope=" ".join(scopes),
        )

    async def load_access_token(self, token: str) -> AccessToken | None:
        return self.access.get(token)

    async def revoke_token(self, token: AccessToken | RefreshToken) -> None:
        self.access.pop(token.token, None)
        self.refresh.pop(token.token, None)

    def revoke(self) -> None:
        self.access.clear()
        self.refresh.clear()

    def forget(self) -> None:
        self.revoke()
        self.clients.clear()


class Introspection(TokenVerifier):
    """Asks the authorization server what a token is worth."""

    def __init__(self, issuer: str) -> None:
        self.url = f"{issuer}/introspect"

    async def verify_token(self, token: str) -> AccessToken | None:
        async with httpx2.AsyncClient() as client:
            said = (await client.post(self.url, data={"token": token})).json()
        return AccessToken.model_validate({**said, "token": token}) if said["active"] else None


def pages(accounts: Accounts) -> list[Route]:
    """Where people are asked whether they agree."""

    async def ask(request: Request) -> Response:
        return HTMLResponse(PAGE.format(asked=escape(request.query_params["asked"])))

    async def agree(request: Request) -> Response:
        return RedirectResponse(accounts.agreed(str((await request.form())["asked"])), 303)

    async def refuse(request: Request) -> Response:
        return RedirectResponse(accounts.refused(request.query_params["asked"]), 303)

    return [
        Route("/consent", ask, methods=["GET"]),
        Route("/consent", agree, methods=["POST"]),
        Route("/refuse", refuse),
    ]


def authorization_server(accounts: Accounts, settings: AuthSettings) -> Starlette:
    async def introspect(request: Request) -> Response:
        found = accounts.access.get(str((await request.form())["token"]))
        return JSONResponse({"active": False} if found is None else {"active": True, **found.model_dump(exclude={"token"})})

    routes = create_auth_routes(
        provider=accounts,
        issuer_url=settings.issuer_url,
        client_registration_options=settings.client_registration_options,
        revocation_options=settings.revocation_options,
    )
    introspection = Route("/introspect", introspect, methods=["POST"])
    return Starlette(routes=[*routes, *pages(accounts), introspection])


def server_of(**auth: object) -> MCPServer:
    made = MCPServer("notes", log_level="WARNING", **auth)

    @made.tool()
    def read() -> str:
        """Reads the note."""
        return "Be kind."

    return made


def main() -> None:
    (at_issuer, issuer), (at_server, origin) = bound(), bound()
    are_both = sys.argv[1:] == ["both"]
    accounts = Accounts()
    settings = AuthSettings(
        # With the slash that the type adds, as most have it who write it so.
        issuer_url=AnyHttpUrl(origin) if are_both else issuer,
        client_registration_options=ClientRegistrationOptions(
            enabled=True, valid_scopes=["notes:read", "notes:write"], default_scopes=["notes:read"]
        ),
        revocation_options=RevocationOptions(enabled=True),
        required_scopes=["notes:read"],
        resource_server_url=None if are_both else f"{origin}/mcp",
        validate_token_resource=not are_both,
    )
    if are_both:
        server = server_of(auth_server_provider=accounts, auth=settings).streamable_http_app()
        server.routes.extend(pages(accounts))
        apps = [(server, at_server)]
    else:
        server = server_of(token_verifier=Introspection(issuer), auth=settings).streamable_http_app()
        apps = [(authorization_server(accounts, settings), at_issuer), (server, at_server)]
    commands = {"expire": accounts.access.clear, "revoke": accounts.revoke, "forget": accounts.forget}
    asyncio.run(stand(apps, f"{origin}/mcp", commands))


main()
