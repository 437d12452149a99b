"""A server on FastMCP that lets in who has a token of its own authorization server, which asks nobody whether they agree. Or it
asks, and has people log in at another authorization server that knows only this one.

usage: python fastmcp_server.py [OTHER]   (its URL is its first line of output; then it obeys `expire`, `revoke` and `forget`)
"""

import asyncio
import os
import sys

os.environ["FASTMCP_CHECK_FOR_UPDATES"] = "off"
os.environ["FASTMCP_LOG_LEVEL"] = "WARNING"

from fastmcp import FastMCP
from fastmcp.server.auth import AuthProvider, OAuthProxy, require_scopes
from fastmcp.server.auth.providers.in_memory import InMemoryOAuthProvider
from fastmcp.server.auth.providers.jwt import JWTVerifier
from key_value.aio.stores.memory import MemoryStore
from mcp.server.auth.settings import ClientRegistrationOptions, RevocationOptions

from standing import bound, stand


def server(provider: AuthProvider) -> FastMCP:
    made = FastMCP("notes", auth=provider)

    @made.tool
    def read() -> str:
        """Reads the note."""
        return "Be kind."

    @made.tool(auth=require_scopes("notes:write"))
    def write() -> str:
        """Writes the note."""
        return "Written."

    return made


def proxy(origin: str, other: str) -> OAuthProxy:
    return OAuthProxy(
        upstream_authorization_endpoint=f"{other}/authorize",
        upstream_token_endpoint=f"{other}/token",
        upstream_client_id="interop",
        upstream_client_secret="interop-secret-of-some-length",
        # What that gives who asks for nothing.
        token_verifier=JWTVerifier(jwks_uri=f"{other}/jwks", required_scopes=["dummy"]),
        base_url=origin,
        client_storage=MemoryStore(),
    )


def main() -> None:
    listening, origin = bound()
    if len(sys.argv) > 1:
        app = server(proxy(origin, sys.argv[1])).http_app()
        asyncio.run(stand([(app, listening)], f"{origin}/mcp", {}))
        return
    provider = InMemoryOAuthProvider(
        base_url=origin,
        client_registration_options=ClientRegistrationOptions(
            enabled=True, valid_scopes=["notes:read", "notes:write"]
        ),
        revocation_options=RevocationOptions(enabled=True),
        required_scopes=["notes:read"],
    )

    def revoke() -> None:
        provider.access_tokens.clear()
        provider.refresh_tokens.clear()

    def forget() -> None:
        revoke()
        provider.clients.clear()

    commands = {"expire": provider.access_tokens.clear, "revoke": revoke, "forget": forget}
    app = server(provider).http_app()
    asyncio.run(stand([(app, listening)], f"{origin}/mcp", commands))


main()
