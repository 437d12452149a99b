"""The lists of what was packed: the sums, the bill of materials, and the entry for the MCP registry."""

import json
import shutil

from .support import OUT, one, run, tools


def test(home):
    run("sha256sum", "--check", "--strict", "SHA256SUMS", cwd=OUT)
    half_a_download(home)
    programs = tools(home, "skillsaw", "cyclonedx-python-lib[json-validation]")
    bill = one("*.cdx.json")
    check = "import sys; from cyclonedx.schema import SchemaVersion as V; from cyclonedx.validation.json import JsonStrictValidator as J"
    run(programs / "python", "-c", f"{check}; sys.exit(J(V.V1_6).validate_str(open({str(bill)!r}).read()))")
    crates = {crate["name"] for crate in json.loads(bill.read_text())["components"]}
    assert {"plainly-server", "tokio", "hyper"} <= crates and not {"serde_derive", "proptest"} & crates, crates
    shutil.copy(OUT / "server.json", home)
    run(programs / "skillsaw", "lint", "--strict", home / "server.json")


def half_a_download(home):
    copy = home / "copy"
    shutil.copytree(OUT, copy)
    package = next(copy.glob("*.tar.xz"))
    package.write_bytes(package.read_bytes()[:1_000_000])
    complaint = run("sha256sum", "--check", "--strict", "SHA256SUMS", cwd=copy, status=1)
    assert f"{package.name}: FAILED" in complaint, complaint
