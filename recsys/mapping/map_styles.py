"""The style of maps, for a page's style sheet or for one that stands alone.

Picture and table have classes only, no styles of their own: a page may forbid these.
"""

MAP_CSS = """\
.map, .map-table, .map-gaps {
  --map-page: #fff; --map-text: #1c2024; --map-soft: #56606c; --map-line: #dfe4e9;
  --map-cited: #0b57a4; --map-suggested: #b3500b; --map-near: #8993a0; --map-gap: #fdf4e7;
}
@media (prefers-color-scheme: dark) {
  .map, .map-table, .map-gaps {
    --map-page: #15181c; --map-text: #e6e9ed; --map-soft: #a3acb7; --map-line: #2d343c;
    --map-cited: #8ec1ff; --map-suggested: #f0a35e; --map-near: #6d7885; --map-gap: #2a2219;
  }
}
.map-frame { overflow-x: auto; }
.map { display: block; width: 100%; min-width: 44rem; height: auto; background: var(--map-page);
  font: 12px system-ui, sans-serif; }
.map text { fill: var(--map-soft); }
.map-column { stroke: var(--map-line); stroke-width: 1; }
.map-band { fill: none; }
.map-band-gap { fill: var(--map-gap); }
.map-edge { stroke: var(--map-line); stroke-width: 1; }
.map .map-label { fill: var(--map-text); font-weight: 600; font-size: 13px; }
.map .map-mark { fill: var(--map-suggested); font-weight: 600; }
.map-dots { pointer-events: none; }
.map-cited { fill: var(--map-cited); }
.map-suggested { fill: var(--map-page); stroke: var(--map-suggested); stroke-width: 2; }
.map-near { fill: var(--map-near); }
.map-draft { fill: var(--map-text); }
.map .map-draft-name { fill: var(--map-text); font-weight: 600; }
.map a { cursor: pointer; outline: none; }
.map-reach { fill: transparent; stroke: none; }
.map a:hover .map-reach, .map a:focus .map-reach { stroke: var(--map-text); stroke-width: 2; }
.map-lines, .map-hint { visibility: hidden; pointer-events: none; }
.map a:hover .map-lines, .map a:focus .map-lines,
.map a:hover .map-hint, .map a:focus .map-hint { visibility: visible; }
.map-lines { fill: none; stroke: var(--map-cited); stroke-width: 1.2; stroke-opacity: .75; }
.map-citing { stroke: var(--map-near); }
.map .map-hint { stroke: var(--map-page); stroke-width: 5px; stroke-linejoin: round;
  paint-order: stroke; fill: var(--map-text); }
.map .map-hint .map-facts { fill: var(--map-soft); }
.map-gaps { color: var(--map-text); padding-left: 1.4rem; }
.map-gaps li { padding: .1rem 0; }
.map-gaps span, .map-counts { color: var(--map-soft); font-weight: 400; }
.map-table { border-collapse: collapse; width: 100%; color: var(--map-text); font-size: .925rem; }
.map-table caption { text-align: start; color: var(--map-soft); padding: .5rem 0; }
.map-table th, .map-table td { text-align: start; vertical-align: top;
  padding: .3rem .75rem .3rem 0; border-top: 1px solid var(--map-line); overflow-wrap: break-word; }
.map-table thead th { border-top: 0; color: var(--map-soft); font-weight: 400; }
.map-table .map-group th { padding-top: 1.1rem; }
.map-table .map-mark { color: var(--map-suggested); }
.map-table td:first-child { color: var(--map-soft); }
.map-table td:nth-child(2) { overflow-wrap: anywhere; }
.map-number { font-variant-numeric: tabular-nums; white-space: nowrap; }
.map-kind { white-space: nowrap; }
.map-kind-cited { color: var(--map-cited); }
.map-kind-suggested { color: var(--map-suggested); }
.map-kind-near { color: var(--map-soft); }
@media (max-width: 40rem) {
  .map-table .map-cites { display: none; }
  .map-table { font-size: .85rem; }
  .map-table th, .map-table td { padding-right: .4rem; }
}
@media print {
  .map { min-width: 0; }
  .map-table tr { break-inside: avoid; }
}
"""
"""Rules for the classes of `map_svg`, `map_table` and `map_gaps`; all begin with `map`."""
