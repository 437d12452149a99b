"""The lists of what was packed: the sums, the bill of materials, and the entry for the MCP registry."""

import json
import shutil

from .support import HOST, OUT, one, run, tools


def test(home):
    run("sha256sum", "--check", "--strict", "SHA256SUMS", cwd=OUT)
    half_a_download(home)
    programs = tools(home, "skillsaw", "cyclonedx-python-lib[json-validation]")
    bill = one(f"*-{HOST}.cdx.json")
    check = "import sys; from cyclonedx.schema import SchemaVersion as V; from cyclonedx.validation.json import JsonStrictValidator as J"
    run(programs / "python", "-c", f"{check}; sys.exit(J(V.V1_6).validate_str(open({str(bill)!r}).read()))")
    crates = {crate["name"] for crate in json.loads(bill.read_text())["components"]}
    assert {"plainly-server", "tokio", "hyper"} <= crates and not {"serde_derive", "proptest"} & crates, crates
    shutil.copy(OUT / "server.json", home)
    run(programs / "skillsaw", "lint", "--strict", home / "server.json")


def half_a_download(home):
    """Checks that the sums name a file that was not downloaded whole, and one of the right length with a wrong byte."""
    copy = home / "copy"
    shutil.copytree(OUT, copy)
    half, wrong = next(copy.glob("*.tar.xz")), next(copy.glob("*.whl"))
    half.write_bytes(half.read_bytes()[:1_000_000])
    content = bytearray(wrong.read_bytes())
    content[len(content) // 2] ^= 1
    wrong.write_bytes(content)
    words = run("sha256sum", "--check", "--strict", "--quiet", "SHA256SUMS", cwd=copy, status=1)
    failed = {line.removesuffix(": FAILED") for line in words.splitlines() if line.endswith(": FAILED")}
    assert failed == {half.name, wrong.name}, words
    run("tar", "--extract", "--file", half, "--directory", home, status=2)
