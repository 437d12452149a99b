"""A container image as an OCI layout in a tar, which Docker, Podman and skopeo load. It has the program, and no shell."""

import hashlib
import json
from pathlib import Path

from . import facts
from .archive import File, gzipped, tar

USER = "65532:65532"
CERTIFICATES = Path("/etc/ssl/certs/ca-certificates.crt")
LABELS = {
    "io.modelcontextprotocol.server.name": facts.REGISTRY_NAME,
    "org.opencontainers.image.source": facts.HOMEPAGE,
    "org.opencontainers.image.version": facts.VERSION,
    "org.opencontainers.image.licenses": facts.LICENSE,
}
# The last three are where a runtime mounts: with a read-only root nobody else can create them.
DIRECTORIES = [("data", 0o755), ("tmp", 0o1777), ("proc", 0o755), ("sys", 0o755), ("dev", 0o755)]


def pack(binary, _pages, out):
    if binary.target.linux is None or not (binary.glibc is None or binary.runs_here()):
        return []
    layer = tar(root(binary), DIRECTORIES)
    layout = Layout()
    config = {
        "architecture": binary.target.linux,
        "os": "linux",
        "config": {
            "User": USER,
            "Entrypoint": ["/plainly"],
            "Cmd": ["serve", "/data", "--http", "0.0.0.0:3333", "--allow-host", "localhost"],
            "Env": ["PLAINLY_INSTALLED=container"],
            "WorkingDir": "/data",
            "ExposedPorts": {"3333/tcp": {}},
            "Labels": LABELS,
        },
        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{hashlib.sha256(layer).hexdigest()}"]},
    }
    manifest = {
        "schemaVersion": 2,
        "mediaType": "application/vnd.oci.image.manifest.v1+json",
        "config": layout.add("application/vnd.oci.image.config.v1+json", json.dumps(config).encode()),
        "layers": [layout.add("application/vnd.oci.image.layer.v1.tar+gzip", gzipped(layer))],
        "annotations": LABELS,
    }
    entry = layout.add(manifest["mediaType"], json.dumps(manifest).encode())
    entry["platform"] = {"architecture": binary.target.linux, "os": "linux"}
    name = f"plainly:{facts.VERSION}"
    entry["annotations"] = {"org.opencontainers.image.ref.name": facts.VERSION, "io.containerd.image.name": f"docker.io/library/{name}"}
    layout.files["index.json"] = File(json.dumps({"schemaVersion": 2, "manifests": [entry]}).encode())
    # Docker without containerd reads this in place of the index.
    blobs = [{"Config": path(manifest["config"]), "RepoTags": [name], "Layers": [path(it) for it in manifest["layers"]]}]
    layout.files["manifest.json"] = File(json.dumps(blobs).encode())
    layout.files["oci-layout"] = File(b'{"imageLayoutVersion":"1.0.0"}')
    archive = out / f"plainly-{facts.VERSION}-{binary.name}.oci.tar"
    archive.write_bytes(tar(layout.files))
    return [archive]


def path(blob):
    """The path of a blob in the layout."""
    return "blobs/" + blob["digest"].replace(":", "/")


class Layout:
    """The files of an image, each content under its digest."""

    def __init__(self):
        self.files = {}

    def add(self, media_type, content):
        digest = hashlib.sha256(content).hexdigest()
        self.files[f"blobs/sha256/{digest}"] = File(content)
        return {"mediaType": media_type, "digest": f"sha256:{digest}", "size": len(content)}


def root(binary):
    """The files of the image. A binary that is not static brings its libraries."""
    files = {
        "plainly": File(binary.content, is_program=True),
        "etc/passwd": File(b"plainly:x:65532:65532::/data:/plainly\n"),
        "etc/ssl/certs/ca-certificates.crt": File(CERTIFICATES.read_bytes()),
    }
    for library in binary.libraries():
        files[str(library).lstrip("/")] = File(library.read_bytes(), is_program=True)
    return files
