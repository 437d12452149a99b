"""Archives with the program, its man pages and completions, and the writers of archives that other packages use: sorted names,
owner 0, and the time of the commit."""

import gzip
import io
import lzma
import tarfile
import zipfile
from dataclasses import dataclass

from . import facts


@dataclass(frozen=True)
class File:
    content: bytes
    is_program: bool = False

    @property
    def mode(self):
        return 0o755 if self.is_program else 0o644


def tar(files, directories=()):
    """A tar of `files` (by their paths), and of `directories` with their modes."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for path, mode in directories:
            entry = tarfile.TarInfo(path)
            entry.type, entry.mode, entry.mtime = tarfile.DIRTYPE, mode, facts.TIME
            archive.addfile(entry)
        for path, file in sorted(files.items()):
            entry = tarfile.TarInfo(path)
            entry.size, entry.mode, entry.mtime = len(file.content), file.mode, facts.TIME
            archive.addfile(entry, io.BytesIO(file.content))
    return buffer.getvalue()


def gzipped(content):
    return gzip.compress(content, mtime=0)


def zipped(files):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, file in sorted(files.items()):
            entry = zipfile.ZipInfo(path, facts.DATE.timetuple()[:6])
            entry.compress_type, entry.create_system = zipfile.ZIP_DEFLATED, 3
            entry.external_attr = (0o100000 | file.mode) << 16
            archive.writestr(entry, file.content)
    return buffer.getvalue()


def folder_of(target):
    """The folder in the archive of a target."""
    return f"plainly-{facts.VERSION}-{target}"


def name_of(target):
    return folder_of(target) + (".zip" if target.endswith("-windows") else ".tar.xz")


def pack(binary, pages, out):
    name = folder_of(binary.name)
    files = {f"{name}/{binary.file_name}": File(binary.content, is_program=True)}
    for path in [facts.README, *facts.LICENSES]:
        files[f"{name}/{path.name}"] = File(path.read_bytes())
    for page, content in pages.man.items():
        files[f"{name}/man/{page}"] = File(content)
    for completion, content in pages.completions.items():
        files[f"{name}/completions/{completion}"] = File(content)
    path = out / name_of(binary.name)
    path.write_bytes(zipped(files) if path.suffix == ".zip" else lzma.compress(tar(files), preset=6))
    return [path]
