"""A built `plainly`: its target, the libraries that it asks for, and the pages that it writes about itself."""

import platform
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path


@dataclass(frozen=True)
class Target:
    """How each ecosystem names a platform. `None` where the ecosystem has no package for it."""

    rust: str
    npm: tuple[str, str]
    wheel: str
    linux: str | None = None
    suffix: str = ""


TARGETS = {
    "x86_64-linux": Target("x86_64-unknown-linux-musl", ("linux", "x64"), "linux_x86_64", "amd64"),
    "aarch64-linux": Target("aarch64-unknown-linux-musl", ("linux", "arm64"), "linux_aarch64", "arm64"),
    "x86_64-windows": Target("x86_64-pc-windows-msvc", ("win32", "x64"), "win_amd64", suffix=".exe"),
    "aarch64-macos": Target("aarch64-apple-darwin", ("darwin", "arm64"), "macosx_11_0_arm64"),
    "x86_64-macos": Target("x86_64-apple-darwin", ("darwin", "x64"), "macosx_10_12_x86_64"),
}


@dataclass(frozen=True)
class Pages:
    """Man pages and completions, by their names."""

    man: dict[str, bytes]
    completions: dict[str, bytes]


@dataclass(frozen=True)
class Binary:
    name: str
    path: Path
    content: bytes

    @staticmethod
    def read(word):
        """The binary of `[TARGET=]PATH`."""
        name, equals, path = word.rpartition("=")
        if not equals:
            name = f"{platform.machine()}-{platform.system().lower()}"
        if name not in TARGETS:
            sys.exit(f"error: unknown target {name}: expected one of {', '.join(TARGETS)}")
        path = Path(path).resolve()
        if not path.is_file():
            sys.exit(f"error: no binary at {path}: build it first, with cargo build --profile dist -p plainly-cli")
        return Binary(name, path, path.read_bytes())

    @property
    def target(self):
        return TARGETS[self.name]

    @property
    def file_name(self):
        return f"plainly{self.target.suffix}"

    @property
    def glibc(self):
        """The glibc that the binary asks for, such as (2, 17); `None` if it is static or for another system."""
        versions = re.findall(r"Name: GLIBC_2\.(\d+)", self.needs)
        return (2, max(map(int, versions))) if versions else None

    @property
    def needs_libgcc(self):
        return "[libgcc_s.so.1]" in self.needs

    @cached_property
    def needs(self):
        """The libraries that a binary for Linux asks for, and their versions, as readelf writes them."""
        if self.target.linux is None:
            return ""
        return subprocess.check_output(["readelf", "--wide", "--dynamic", "--version-info", self.path], text=True)

    def runs_here(self):
        return self.name == f"{platform.machine()}-{platform.system().lower()}"

    def pages(self):
        with tempfile.TemporaryDirectory() as directory:
            subprocess.run([self.path, "man", directory], check=True, stdout=subprocess.DEVNULL)
            man = {page.name: page.read_bytes() for page in sorted(Path(directory).iterdir())}
        shells = {"bash": "plainly.bash", "zsh": "_plainly", "fish": "plainly.fish"}
        completions = {name: subprocess.check_output([self.path, "completions", shell]) for shell, name in shells.items()}
        return Pages(man, completions)

    def libraries(self):
        """The shared libraries that the binary loads, by their paths on this machine, with the loader."""
        if self.glibc is None:
            return []
        lines = subprocess.check_output(["ldd", self.path], text=True).splitlines()
        return sorted({Path(path) for line in lines for path in re.findall(r"(/\S+)", line)})
