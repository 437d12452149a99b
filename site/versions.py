"""The pages above those of the versions: one leads to the newest, and one lists all."""

PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
{head}<title>plainly</title>
</head>
<body style="font: 1.1em/1.6 system-ui, sans-serif; margin: 2em auto; max-width: 40em; padding: 0 1em">
{body}
</body>
</html>
"""


def write(out):
    """Writes both pages for the versions whose folders are in `out`."""
    versions = sorted((path.parent.name for path in out.glob("*/llms.txt")), key=_order, reverse=True)
    items = "\n".join(f'<li><a href="{it}/index.html">{it}</a></li>' for it in versions)
    listed = f"<h1>Versions of the documentation of plainly</h1>\n<ul>\n{items}\n</ul>"
    (out / "versions.html").write_text(PAGE.format(head="", body=listed))
    newest = f"{versions[0]}/index.html"
    leads = f'<p><a href="{newest}">Documentation of plainly</a></p>'
    refresh = f'<meta http-equiv="refresh" content="0; url={newest}">\n'
    (out / "index.html").write_text(PAGE.format(head=refresh, body=leads))


def _order(version):
    """Releases by their numbers; branches are older than any."""
    numbers = version.removeprefix("v").split(".")
    return [int(it) for it in numbers] if all(it.isdigit() for it in numbers) else []
