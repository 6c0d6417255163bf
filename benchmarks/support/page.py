# SPDX-License-Identifier: Apache-2.0
"""Gathers the results of benchmarks/run.sh on one page that needs nothing else:

    python3 page.py FOLDER

reads FOLDER/<group>/<name>/{run.txt, about.txt, corpora.txt, output.txt, *.svg, *.csv} and writes FOLDER/index.html, and each table of an
output.txt that its program did not write as a CSV file itself as output_table_<number>.csv beside it."""

import csv
import html
import pathlib
import re
import sys

STYLE = """
:root { color-scheme: light dark; --line: #8884; --soft: #8881; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 76rem; margin: 2rem auto; padding: 0 1rem; }
h2 { margin-top: 3rem; border-top: 1px solid var(--line); padding-top: 1rem; }
table { border-collapse: collapse; margin: 1rem 0; font-variant-numeric: tabular-nums; }
th, td { border-bottom: 1px solid var(--line); padding: .25rem .75rem .25rem 0; text-align: left; vertical-align: top; }
th { background: var(--soft); }
pre { white-space: pre-wrap; background: var(--soft); padding: .75rem; }
.wide { overflow-x: auto; }
.plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(22rem, 1fr)); gap: 1rem; }
.plots figure { margin: 0; }
figcaption { font-size: .8rem; }
.plots svg { width: 100%; height: auto; background: white; }
.failed { color: #c22; font-weight: 600; }
"""


def cells(line):
    return [cell.strip() for cell in line.strip()[1:-1].split("|")]


def html_row(tag, row):
    return "<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in row) + "</tr>\n"


def link(file, folder):
    return f'<a href="{html.escape(str(file.relative_to(folder.parent.parent)))}">{html.escape(file.name)}</a>'


def table_file(rows, number, written, folder):
    """The CSV file of a table: the one that its program wrote (support/table.hpp, without commas in cells), or a new one."""
    text = "".join(",".join(cell.replace(",", "") for cell in row) + "\n" for row in rows)
    if text in written:
        return written[text]
    file = folder / f"output_table_{number}.csv"
    with open(file, "w", newline="") as out:
        csv.writer(out, lineterminator="\n").writerows(rows)
    return file


def rendered(text, folder):
    """Markdown tables as tables, with their CSV files, and lines around them as they are."""
    parts, plain, lines, number = [], [], text.splitlines(), 0
    written = {file.read_text(): file for file in folder.rglob("*.csv")}

    def flush():
        block = "\n".join(plain).strip("\n")
        if block:
            parts.append(f"<pre>{html.escape(block)}</pre>")
        plain.clear()

    at = 0
    while at < len(lines):
        if lines[at].startswith("|") and at + 1 < len(lines) and re.match(r"^\|( ?-+ ?\|)+$", lines[at + 1].strip()):
            flush()
            rows, at, number = [cells(lines[at])], at + 2, number + 1
            while at < len(lines) and lines[at].startswith("|"):
                rows.append(cells(lines[at]))
                at += 1
            body = "".join(html_row("td", row) for row in rows[1:])
            parts.append(f'<div class="wide"><table>{html_row("th", rows[0])}{body}</table></div>'
                         f"<p>{link(table_file(rows, number, written, folder), folder)}</p>")
        else:
            plain.append(lines[at])
            at += 1
    flush()
    return "\n".join(parts)


def section(folder, name):
    command, seconds, status = (folder / "run.txt").read_text().splitlines()[:3]
    about = folder / "about.txt"
    origin = f"<code>{html.escape(command)}</code>" + (f": {html.escape(about.read_text().strip())}" if about.exists() else "")
    parts = [f'<h2 id="{name}">{name}</h2>', f"<p>{origin}; {int(seconds)} s</p>"]
    corpora = folder / "corpora.txt"
    if corpora.exists():
        parts.append("<ul>" + "".join(f"<li>{html.escape(line)}</li>" for line in corpora.read_text().splitlines()) + "</ul>")
    if status != "0":
        log = (folder / "log.txt").read_text(errors="replace")[-2000:]
        parts.append(f'<p class="failed">It failed:</p><pre>{html.escape(log)}</pre>')
    parts.append(rendered((folder / "output.txt").read_text(errors="replace"), folder))
    plots = sorted(folder.rglob("*.svg"))
    if plots:
        parts.append('<div class="plots">' + "\n".join(
            f"<figure>{plot.read_text()}<figcaption>{html.escape(plot.name)}, {origin}</figcaption></figure>" for plot in plots) + "</div>")
    files = sorted(folder.rglob("*.csv"))
    if files:
        parts.append("<p>All figures as CSV: " + ", ".join(link(file, folder) for file in files) + "</p>")
    return "\n".join(parts)


def main():
    root = pathlib.Path(sys.argv[1])
    runs = sorted(root.glob("*/*/run.txt"))
    names = [str(run.parent.relative_to(root)) for run in runs]
    total = sum(int(run.read_text().splitlines()[1]) for run in runs)
    listing = "".join(f'<li><a href="#{name}">{name}</a></li>' for name in names)
    body = "\n".join(section(run.parent, name) for run, name in zip(runs, names))
    page = f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>dplda: benchmarks</title><style>{STYLE}</style></head>
<body><h1>dplda: benchmarks</h1>
<p>Made by <code>sh benchmarks/run.sh</code> in {total // 60} minutes and {total % 60} seconds and the time to build the programs.</p>
<ul>{listing}</ul>
{body}
</body></html>
"""
    temporary = root / "index.html.part"
    temporary.write_text(page)
    temporary.rename(root / "index.html")


main()
