"""Manifests for package managers that download the archives of a release: Homebrew, Scoop and winget. They are for the repositories of
those managers, where a person adds them."""

import json

from . import archive, facts

RELEASE = f"{facts.HOMEPAGE}/releases/download/v{facts.VERSION}"
# The version of winget's schemas.
WINGET = "1.10.0"
IDENTIFIER = "PlainlyMcp.Plainly"


def write(binaries, sums, out):
    """Writes the manifest of each manager that has a system among these, and returns their paths."""
    archives = {binary.name: download(binary, sums) for binary in binaries}
    unix = {name: place for name, place in archives.items() if not name.endswith("-windows")}
    written = []
    if unix:
        written.append(save(out / "homebrew/plainly.rb", homebrew(unix)))
    if windows := archives.get("x86_64-windows"):
        written.append(save(out / "scoop/plainly.json", json.dumps(scoop(*windows), indent=4) + "\n"))
        for kind, document in winget(*windows).items():
            written.append(save(out / f"winget/{IDENTIFIER}{kind}.yaml", document))
    return written


def download(binary, sums):
    """The URL of the archive, and its sum."""
    name = archive.name_of(binary.name)
    return f"{RELEASE}/{name}", sums[name]


def save(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def homebrew(archives):
    lines = [
        "class Plainly < Formula",
        f'  desc "{facts.SUMMARY}"',
        f'  homepage "{facts.HOMEPAGE}"',
        f'  version "{facts.VERSION}"',
        '  license any_of: ["MIT", "Apache-2.0"]',
        "",
    ]
    for system, block in (("macos", "on_macos"), ("linux", "on_linux")):
        own = {name: place for name, place in archives.items() if name.endswith(system)}
        if not own:
            continue
        lines.append(f"  {block} do")
        for name, (url, digest) in sorted(own.items()):
            processor = "on_arm" if name.startswith("aarch64") else "on_intel"
            lines += [f"    {processor} do", f'      url "{url}"', f'      sha256 "{digest}"', "    end"]
        lines += ["  end", ""]
    lines += [
        "  def install",
        '    bin.install "plainly"',
        '    man1.install Dir["man/*.1"]',
        '    bash_completion.install "completions/plainly.bash" => "plainly"',
        '    zsh_completion.install "completions/_plainly"',
        '    fish_completion.install "completions/plainly.fish"',
        "  end",
        "",
        "  test do",
        '    assert_match version.to_s, shell_output("#{bin}/plainly --version")',
        "  end",
        "end",
    ]
    return "\n".join(lines) + "\n"


def scoop(url, digest):
    folder = url.rsplit("/", 1)[1].removesuffix(".zip")
    return {
        "version": facts.VERSION,
        "description": facts.SUMMARY,
        "homepage": facts.HOMEPAGE,
        "license": "MIT|Apache-2.0",
        "architecture": {"64bit": {"url": url, "hash": digest, "extract_dir": folder}},
        "bin": "plainly.exe",
        "checkver": {"github": facts.HOMEPAGE},
        "autoupdate": {"architecture": {"64bit": {"url": url.replace(facts.VERSION, "$version"), "extract_dir": folder.replace(facts.VERSION, "$version")}}},
    }


def winget(url, digest):
    folder = url.rsplit("/", 1)[1].removesuffix(".zip")
    head = f"PackageIdentifier: {IDENTIFIER}\nPackageVersion: {facts.VERSION}\n"
    installer = f"""InstallerType: zip
NestedInstallerType: portable
NestedInstallerFiles:
  - RelativeFilePath: {folder}\\plainly.exe
    PortableCommandAlias: plainly
Installers:
  - Architecture: x64
    InstallerUrl: {url}
    InstallerSha256: {digest.upper()}
ManifestType: installer
"""
    locale = f"""PackageLocale: en-US
Publisher: {facts.AUTHOR}
PackageName: plainly
PackageUrl: {facts.HOMEPAGE}
License: {facts.LICENSE}
ShortDescription: {facts.SUMMARY}
ManifestType: defaultLocale
"""
    version = "DefaultLocale: en-US\nManifestType: version\n"
    parts = {".installer": installer, ".locale.en-US": locale, "": version}
    return {kind: f"{head}{body}ManifestVersion: {WINGET}\n" for kind, body in parts.items()}
