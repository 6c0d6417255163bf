// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_REPORT_DETAIL_STYLE_HPP
#define DPLDA_REPORT_DETAIL_STYLE_HPP

#include <string_view>

// The style sheet of the report's page, the same for every release. The page's Content-Security-Policy allows this style
// sheet and the script (script.hpp) by their hashes and nothing else, so there are no style or event attributes.

namespace dplda::inline v0_1::detail::page {

inline constexpr std::string_view style = R"css(
:root {
  color-scheme: light dark;
  --paper: #fbfaf8; --card: #ffffff; --ink: #1c2430; --muted: #5a6572; --line: #dcdfe4; --soft: #eef0f2;
  --main: #0f6b73; --main-soft: #cfe5e6; --pick: #c2500f; --pick-soft: #f6d9c6;
  --good: #17693d; --good-soft: #e1f2e7; --warn: #7d5200; --warn-soft: #fdf0d2; --bad: #a61b1b; --bad-soft: #fbe4e2;
  --serif: Charter, "Bitstream Charter", "Sitka Text", Cambria, Georgia, "DejaVu Serif", serif;
  --sans: system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Liberation Sans", Arial, sans-serif;
  --mono: ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #12161b; --card: #191f26; --ink: #e5e8ec; --muted: #9ba6b2; --line: #303842; --soft: #222932;
    --main: #5fbfc6; --main-soft: #1f4346; --pick: #f0935a; --pick-soft: #4d2f1c;
    --good: #74cf9a; --good-soft: #173224; --warn: #e9bf62; --warn-soft: #37290c; --bad: #f39a93; --bad-soft: #431b1a;
  }
}
* { box-sizing: border-box; }
html { scroll-behavior: smooth; scroll-padding-top: 1rem; -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.55 var(--sans); overflow-wrap: break-word; }
.wrap { max-width: 70rem; margin: 0 auto; padding: 0 clamp(1rem, 4vw, 2.5rem); }
h1, h2 { font-family: var(--serif); font-weight: 600; line-height: 1.15; letter-spacing: -0.01em; text-wrap: balance; }
h1 { font-size: clamp(1.9rem, 1.2rem + 3vw, 3rem); margin: 0.2rem 0 1rem; }
h2 { font-size: clamp(1.45rem, 1.2rem + 1vw, 1.9rem); margin: 0 0 0.9rem; }
h3 { font-size: 1rem; margin: 1.8rem 0 0.5rem; }
p { margin: 0 0 0.9rem; max-width: 46rem; text-wrap: pretty; }
a { color: var(--main); text-underline-offset: 0.15em; }
.lead { font: 1.15rem/1.5 var(--serif); }
.muted, figcaption, caption { color: var(--muted); }
.small, figcaption, caption { font-size: 0.9rem; line-height: 1.45; }
.skip { position: absolute; left: -99rem; }
.skip:focus { left: 1rem; top: 1rem; padding: 0.5rem 1rem; background: var(--card); z-index: 2; }
:focus-visible { outline: 3px solid var(--pick); outline-offset: 2px; border-radius: 3px; }
header.wrap { padding-top: clamp(1.5rem, 5vw, 3.5rem); }
.eyebrow { margin: 0; color: var(--main); font-size: 0.82rem; font-weight: 600; letter-spacing: 0.07em; text-transform: uppercase; }
nav ul { display: flex; flex-wrap: wrap; gap: 0.2rem 1.4rem; list-style: none; margin: 1.6rem 0 0; padding: 0.7rem 0; border-block: 1px solid var(--line); }
nav a { display: inline-block; padding: 0.15rem 0; text-decoration: none; }
nav a:hover { text-decoration: underline; }
section { padding: clamp(1.8rem, 4vw, 3rem) 0 0; }
footer.wrap { margin-top: 3.5rem; padding-block: 1.2rem 2.5rem; border-top: 1px solid var(--line); color: var(--muted); font-size: 0.9rem; }

.note { border-left: 4px solid; border-radius: 4px; padding: 0.75rem 1rem; margin: 0 0 1rem; max-width: 52rem; color: var(--ink); }
.note > :last-child { margin-bottom: 0; }
.note strong:first-child { display: block; }
.note.good { background: var(--good-soft); border-color: var(--good); }
.note.warn { background: var(--warn-soft); border-color: var(--warn); }
.note.bad { background: var(--bad-soft); border-color: var(--bad); }
.note.good strong:first-child { color: var(--good); }
.note.warn strong:first-child { color: var(--warn); }
.note.bad strong:first-child { color: var(--bad); }
.figures { display: flex; flex-wrap: wrap; gap: 1rem 2.4rem; max-width: 56rem; margin: 1.3rem 0 0; }
.figures div { flex: none; min-width: 5.4rem; max-width: 100%; }
.figures dt { color: var(--muted); font-size: 0.85rem; }
.figures dd { margin: 0; white-space: nowrap; font: 1.55rem/1.25 var(--serif); }
.secret { border: 2px dashed var(--bad); border-radius: 8px; padding: clamp(0.9rem, 3vw, 1.6rem); margin-top: clamp(1.8rem, 4vw, 3rem); }

.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; margin: 0 0 1.2rem; font-variant-numeric: tabular-nums; }
caption { text-align: left; padding: 0 0 0.5rem; caption-side: top; }
th, td { text-align: left; vertical-align: top; padding: 0.45rem 1.1rem 0.45rem 0; border-top: 1px solid var(--line); }
thead th { border-top: 0; border-bottom: 2px solid var(--line); color: var(--muted); font-size: 0.85rem; font-weight: 600; vertical-align: bottom; }
tbody th { font-weight: 500; }
td.number, th.number { text-align: right; white-space: nowrap; }
tr.picked td:not(.muted), tr.picked th { font-weight: 650; }
.two { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 24rem), 1fr)); gap: 0 3rem; }
.two > * { min-width: 0; }
ul.plain { margin: 0 0 1rem; padding-left: 1.1rem; max-width: 46rem; }
ul.plain li { margin-bottom: 0.45rem; }
svg { display: block; max-width: 100%; }
svg.bar { width: 100%; min-width: 5rem; height: 0.7rem; margin-top: 0.45rem; }
.track { fill: var(--soft); }
.fill { fill: var(--main); }
.fill.pick { fill: var(--pick); }
.meter { margin: 0 0 1.4rem; max-width: 46rem; }
.meter svg { width: 100%; height: 1.1rem; border-radius: 4px; }
.meter figcaption { color: var(--ink); font-size: 1rem; }
.meter div { display: flex; justify-content: space-between; gap: 1rem; font-size: 0.85rem; color: var(--muted); margin-top: 0.3rem; }
figure { margin: 0 0 1rem; }
figcaption { margin-top: 0.5rem; max-width: 46rem; }
pre { background: var(--soft); border-radius: 6px; padding: 0.8rem 1rem; white-space: pre-wrap; overflow-wrap: anywhere; font: 0.9rem/1.5 var(--mono); }
bdi { unicode-bidi: isolate; }
sup { font-size: 0.7em; line-height: 0; }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }

.explorer { display: grid; gap: 1.5rem 2.5rem; margin-bottom: 1.5rem; }
.js .explorer { grid-template-columns: minmax(0, 1fr); }
@media (min-width: 52rem) { .js .explorer { grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); } }
.map svg { width: 100%; max-width: 34rem; background: var(--card); border: 1px solid var(--line); border-radius: 8px; }
.map .axis { stroke: var(--line); }
.map { position: relative; }
@media (min-width: 52rem) and (min-height: 40rem) { .js .map { position: sticky; top: 1rem; align-self: start; } }
.map .labels { font: 600 13px var(--sans); }
.map .labels.many { font-size: 10px; }
.map text { fill: var(--ink); text-anchor: middle; dominant-baseline: central; pointer-events: none; paint-order: stroke; stroke: var(--card); stroke-width: 2.5px; stroke-linejoin: round; }
.map .no-room { display: none; }
.js .map .labels .chosen { display: inline; font-size: 15px; }
.map circle { fill: var(--main); fill-opacity: 0.28; stroke: var(--main); stroke-width: 1.3; }
.js .map [role=radio] { cursor: pointer; outline: none; }
.map [role=radio]:hover circle { fill-opacity: 0.5; }
.map [aria-checked=true] circle { fill: var(--pick); stroke: var(--pick); fill-opacity: 0.5; stroke-width: 2.6; }
.map [role=radio]:focus-visible circle { stroke: var(--ink); stroke-width: 3.5; }
.panel { min-width: 0; }
.panel[hidden] { display: none; }
.panel-head { display: flex; align-items: center; gap: 0.6rem; margin-bottom: 0.4rem; }
.panel-head h3 { margin: 0; font: 600 1.35rem/1.2 var(--serif); flex: 1; }
.panel-head h3 small { font: 0.9rem var(--sans); color: var(--muted); margin-left: 0.5rem; white-space: nowrap; }
button { font: inherit; color: var(--ink); background: var(--card); border: 1px solid var(--line); border-radius: 6px; min-width: 2.75rem; min-height: 2.75rem; cursor: pointer; }
button:hover { border-color: var(--main); }
.slider { display: grid; grid-template-columns: auto 1fr auto; align-items: center; gap: 0.1rem 0.8rem; margin: 0.3rem 0 0.8rem; font-size: 0.88rem; color: var(--muted); }
.slider label { grid-column: 1 / -1; color: var(--ink); }
.slider output { font-variant-numeric: tabular-nums; font-weight: 600; }
input[type=range] { width: 100%; accent-color: var(--pick); min-height: 1.8rem; margin: 0; }
.words { list-style: none; margin: 0; padding: 0; }
.words li { display: grid; grid-template-columns: minmax(5rem, 9rem) minmax(0, 1fr) 3.6rem; gap: 0.7rem; align-items: center; padding: 0.1rem 0.3rem; border-radius: 4px; cursor: pointer; line-height: 1.4; }
.words li:hover { background: var(--soft); }
.words li[aria-selected=true] { background: var(--pick-soft); }
.words .name { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.words .room { position: relative; height: 0.85rem; background: var(--soft); border-radius: 2px; }
.words .part { position: absolute; inset: 0 auto 0 0; background: var(--pick); border-radius: 2px; }
.words .mean { position: absolute; top: -2px; bottom: -2px; width: 2px; margin-left: -1px; background: var(--ink); }
.words .value { text-align: right; font-size: 0.85rem; color: var(--muted); font-variant-numeric: tabular-nums; }
.multiples { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 17rem), 1fr)); gap: 1.2rem 2rem; }
.multiples figure { margin: 0; break-inside: avoid; }
.multiples figcaption { margin: 0 0 0.3rem; }
.multiples figcaption strong { color: var(--ink); margin-right: 0.3rem; }
.multiples text { font: 11px var(--sans); fill: var(--ink); dominant-baseline: central; }
.multiples .label, .multiples .value { text-anchor: end; }
.multiples .few { fill: var(--muted); font-style: italic; }
.multiples .fill { fill: var(--main-soft); }
.multiples .both { stroke: var(--main); stroke-width: 2; stroke-opacity: 0.55; }
.multiples .noise { stroke: var(--main); stroke-width: 5; }
.multiples .grid { stroke: var(--line); fill: none; }
.multiples .both-band { fill: var(--main); fill-opacity: 0.16; }
.multiples .noise-band { fill: var(--main); fill-opacity: 0.3; }
.multiples .trend { stroke: var(--main); stroke-width: 1.8; fill: none; }
.multiples .dot { fill: var(--main); }
.legend { display: flex; flex-wrap: wrap; gap: 0.2rem 1.2rem; font-size: 0.85rem; color: var(--muted); margin: 0.6rem 0 0; padding: 0; list-style: none; }
.legend i { display: inline-block; vertical-align: -1px; margin-right: 0.4rem; }
.legend .key-part { width: 1.2rem; height: 0.75rem; background: var(--pick); border-radius: 2px; }
.legend .key-mean { width: 2px; height: 0.95rem; background: var(--ink); }
.topics td:last-child { width: 80%; }
.topics tr:target > * { background: var(--pick-soft); }
.topics bdi, .compare bdi { display: inline-block; margin-right: 0.65rem; max-width: 100%; }
.compare bdi.same { font-weight: 600; }
.compare bdi.other { color: var(--muted); }
.compare td { width: 45%; }

.roc > svg { width: 100%; max-width: 34rem; background: var(--card); border: 1px solid var(--line); border-radius: 8px; }
@media (min-width: 52rem) {
  .roc { display: grid; grid-template-columns: minmax(0, 31rem) minmax(0, 1fr); gap: 0 2rem; align-items: center; }
  .roc .legend { flex-direction: column; gap: 0.6rem; font-size: 0.95rem; }
  .roc figcaption { grid-column: 1 / -1; }
}
.roc text { font: 12px var(--sans); fill: var(--muted); }
.roc .grid { stroke: var(--line); }
.roc .diagonal { stroke: var(--muted); stroke-dasharray: 4 4; fill: none; }
.roc .bound { stroke: var(--bad); stroke-width: 1.6; fill: none; }
.roc .beyond { fill: var(--bad); fill-opacity: 0.08; }
.roc .curve { stroke-width: 2.2; fill: none; stroke-linejoin: round; }
/* Colours and dashes of curves. */
.c0 { stroke: var(--main); } .c1 { stroke: var(--pick); } .c2 { stroke: #7a5bb5; } .c3 { stroke: #8a8f2b; } .c4 { stroke: #b23a7a; }
.d1 { stroke-dasharray: 7 3; } .d2 { stroke-dasharray: 2 3; } .d3 { stroke-dasharray: 9 3 2 3; } .d4 { stroke-dasharray: 4 2; }
.key-line { width: 2rem; height: 0.8rem; display: inline-block; vertical-align: -1px; margin-right: 0.5rem; }
.key-line line { stroke-width: 2.2; }
.key-line .bound { stroke: var(--bad); }
.key-line .diagonal { stroke: var(--muted); stroke-dasharray: 4 4; }

@media (max-width: 40rem) {
  .stack thead { position: absolute; left: -99rem; }
  .stack, .stack caption, .stack tbody, .stack tr, .stack td, .stack th { display: block; width: auto; }
  .stack td[data-name] { display: inline-block; margin-right: 1.2rem; max-width: 100%; }
  .stack td:empty, .stack td[data-name]:empty { display: none; }
  .stack tr { border-top: 1px solid var(--line); padding: 0.6rem 0; }
  .stack td, .stack tbody th { border: 0; padding: 0.1rem 0; text-align: left; white-space: normal; }
  .stack tbody th { font-weight: 650; }
  .stack td[data-name]::before { content: attr(data-name) ": "; color: var(--muted); }
  .topics td:last-child, .compare td { width: auto; }
  .words li { grid-template-columns: minmax(4.5rem, 7.5rem) minmax(0, 1fr) 3.2rem; gap: 0.5rem; }
}
@media (prefers-reduced-motion: no-preference) {
  .map circle { transition: r 0.25s ease-out; }
  .words .part { transition: width 0.2s ease-out; }
}
@media (prefers-reduced-motion: reduce) { html { scroll-behavior: auto; } }
@media (forced-colors: active) { .words .part, .words .mean, .legend i { forced-color-adjust: none; } }
@media print {
  :root { --paper: #fff; --card: #fff; --ink: #000; --muted: #444; --line: #bbb; --soft: #eee; --main: #0f6b73; --main-soft: #cfe5e6; --pick: #c2500f; --pick-soft: #fff; --good: #17693d; --good-soft: #fff; --warn: #7d5200; --warn-soft: #fff; --bad: #a61b1b; --bad-soft: #fff; }
  body { font-size: 10pt; }
  nav, .panel, .skip { display: none; }
  .js .explorer { display: block; }
  .map svg, .roc > svg { max-width: 11cm; }
  tr, figure, .note, .meter { break-inside: avoid; }
  h2, h3 { break-after: avoid; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
)css";

}  // namespace dplda::inline v0_1::detail::page

#endif
