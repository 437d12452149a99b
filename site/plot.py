"""A plot of the table that the benchmark has printed into docs/performance.md."""

import re

BEGIN = "<!-- begin of the output -->\n"
ROW = re.compile(r"\| \*\*(.+)\*\*: requests/s \|(.+)\|$", re.MULTILINE)
COLUMNS = ["bare", "axum", "rmcp", "rmcp `stdio()`", "plainly"]
SHOWN = ["plainly", "rmcp", "bare"]
WIDTH, BAR = 640, 18


def add(page):
    """Puts the plot in front of the tables, if the page has them."""
    return page.replace(BEGIN, f"{BEGIN}\n{_plot(page)}\n") if BEGIN in page else page


def _plot(page):
    assert f"| | {' | '.join(COLUMNS)} |" in page, "docs/performance.md: the table has other columns than the plot"
    cases = [(case.replace("`", ""), _ratios(cells)) for case, cells in ROW.findall(page)]
    assert cases, "docs/performance.md: the table has no requests per second"
    scale = (WIDTH - 110) / max(ratio for _, ratios in cases for _, ratio in ratios)
    bars, y = [], 40
    for case, ratios in cases:
        bars.append(f'<text x="0" y="{y}">{case}</text>')
        for name, ratio in ratios:
            width = round(ratio * scale)
            bars.append(
                f'<rect class="{name}" x="0" y="{y + 6}" width="{width}" height="{BAR - 3}"/>'
                f'<text x="{width + 6}" y="{y + BAR}">{name} {ratio:.1f}</text>'
            )
            y += BAR
        y += 34
    title = "Requests per second, relative to rmcp"
    return "\n".join(
        [
            f'<svg class="plot" viewBox="0 0 {WIDTH} {y - 20}" role="img" aria-label="{title}">',
            f'<text class="title" x="0" y="16">{title}</text>',
            *bars,
            "</svg>",
        ]
    )


def _ratios(cells):
    figures = dict(zip(COLUMNS, (cell.strip().replace(",", "") for cell in cells.split("|"))))
    return [(name, float(figures[name]) / float(figures["rmcp"])) for name in SHOWN]
