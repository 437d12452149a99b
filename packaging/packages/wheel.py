"""A wheel with the program alone, which pip, pipx and uv place in `bin`: no Python starts with it."""

import base64
import hashlib

from . import facts, sbom
from .archive import File, zipped


def pack(binary, _pages, out):
    tags = tags_of(binary)
    info, data = (f"plainly-{facts.PYTHON_VERSION}.{kind}" for kind in ("dist-info", "data"))
    files = {
        f"{data}/scripts/{binary.file_name}": File(binary.content, is_program=True),
        f"{info}/METADATA": File(metadata().encode()),
        f"{info}/WHEEL": File(wheel(tags).encode()),
        f"{info}/sboms/plainly.cdx.json": File(sbom.bill(binary.target.rust)),
    }
    for path in facts.LICENSES:
        files[f"{info}/licenses/{path.name}"] = File(path.read_bytes())
    record = f"{info}/RECORD"
    lines = [f"{path},sha256={digest(file.content)},{len(file.content)}\n" for path, file in sorted(files.items())]
    files[record] = File("".join([*lines, f"{record},,\n"]).encode())
    path = out / f"plainly-{facts.PYTHON_VERSION}-py3-none-{'.'.join(tags)}.whl"
    path.write_bytes(zipped(files))
    return [path]


def tags_of(binary):
    """The platforms that can run the binary (PEP 600, PEP 656)."""
    system, _, processor = binary.target.wheel.partition("_")
    if system != "linux":
        return [binary.target.wheel]
    if binary.glibc is None:
        return [f"manylinux_2_17_{processor}", f"musllinux_1_2_{processor}"]
    major, minor = binary.glibc
    return [f"manylinux_{major}_{max(minor, 17)}_{processor}"]


def metadata():
    head = [
        "Metadata-Version: 2.4",
        "Name: plainly",
        f"Version: {facts.PYTHON_VERSION}",
        f"Summary: {facts.SUMMARY}",
        f"Author: {facts.AUTHOR}",
        f"License-Expression: {facts.LICENSE}",
        *[f"License-File: {path.name}" for path in facts.LICENSES],
        f"Project-URL: Source, {facts.HOMEPAGE}",
        "Requires-Python: >=3.8",
        "Description-Content-Type: text/markdown",
    ]
    # The MCP registry reads the line below in the description, as the proof that both have one owner.
    return "\n".join(head) + f"\n\n{facts.README.read_text()}\n\nmcp-name: {facts.REGISTRY_NAME}\n"


def wheel(tags):
    lines = ["Wheel-Version: 1.0", "Generator: plainly", "Root-Is-Purelib: false", *[f"Tag: py3-none-{tag}" for tag in tags]]
    return "\n".join(lines) + "\n"


def digest(content):
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
