# SPDX-License-Identifier: Apache-2.0
"""Gathers the results of benchmarks/run.sh on one self-contained page:

    python3 page.py FOLDER

reads FOLDER/<group>/<name>/{run.txt, about.txt, corpora.txt, output.txt, *.svg, *.csv} and writes FOLDER/index.html. CSV files in long form
(columns corpus, learner, epsilon, seed, metric, value, and further ones) are shown as tables of means over seeds, with standard deviations,
beside the tables that a program printed."""

import csv
import html
import math
import pathlib
import re
import statistics
import sys

LONG = ["corpus", "learner", "epsilon", "seed", "metric", "value"]
MOST_ROWS = 200
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


def number(text):
    return f"{float(text):.4g}"


def cell(values):
    """The mean over seeds, with the standard deviation where there are several; a learner that refused has empty values."""
    found = [float(value) for value in values if value]
    if not found:
        return "no release" if values else ""
    if len(found) == 1 or not all(map(math.isfinite, found)):
        return number(statistics.fmean(found))
    return f"{number(statistics.fmean(found))} ({statistics.stdev(found):.2g})"


def long_table(file):
    """A long CSV file as a table: a row for each run, a column for each metric; None if it is of another form."""
    with open(file, newline="") as lines:
        reader = csv.DictReader(lines)
        if (reader.fieldnames or [])[:6] != LONG:
            return None
        names = ["corpus", "learner", "epsilon"] + reader.fieldnames[6:]
        metrics, runs = {}, {}
        for row in reader:
            metrics[row["metric"]] = None
            runs.setdefault(tuple(row[name] for name in names), {}).setdefault(row["metric"], []).append(row["value"])
    shown = [i for i, name in enumerate(names) if len({run[i] for run in runs}) > 1 or name == "learner"]
    head = [names[i] for i in shown] + list(metrics)
    body = [[run[i] for i in shown] + [cell(values.get(metric, [])) for metric in metrics] for run, values in runs.items()]
    return head, body


def html_table(head, body):
    return (f'<div class="wide"><table>{html_row("th", head)}' + "".join(html_row("td", row) for row in body) + "</table></div>")


def rendered(text):
    """Lines as they are, and Markdown tables as tables."""
    parts, plain, lines, at = [], [], text.splitlines(), 0

    def flush():
        block = "\n".join(plain).strip("\n")
        if block:
            parts.append(f"<pre>{html.escape(block)}</pre>")
        plain.clear()

    while at < len(lines):
        if lines[at].startswith("|") and at + 1 < len(lines) and re.match(r"^\|( ?-+ ?\|)+$", lines[at + 1].strip()):
            head, body, at = cells(lines[at]), [], at + 2
            while at < len(lines) and lines[at].startswith("|"):
                body.append(cells(lines[at]))
                at += 1
            flush()
            parts.append(html_table(head, body))
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
    files = sorted(folder.rglob("*.csv"))
    long = {file: table for file in files if (table := long_table(file))}
    parts.append(rendered((folder / "output.txt").read_text(errors="replace")))
    for file, (head, body) in long.items():
        shown = body[:MOST_ROWS]
        more = f", the first {MOST_ROWS} of {len(body)} rows" if len(body) > MOST_ROWS else ""
        parts.append(f"<details><summary>{link(file, folder)}{more}</summary>{html_table(head, shown)}</details>")
    plots = sorted(folder.rglob("*.svg"))
    if plots:
        parts.append('<div class="plots">' + "\n".join(
            f"<figure>{plot.read_text()}<figcaption>{html.escape(plot.name)}, {origin}</figcaption></figure>" for plot in plots) + "</div>")
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
