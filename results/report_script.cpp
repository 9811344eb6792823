#include "results/report_script.h"

namespace paretrain::results {

const std::string_view kReportStyle = R"css(
:root{--ink:#111827;--soft:#5b6472;--line:#e2e6ec;--accent:#2f5fa8;--paper:#fff}
*{box-sizing:border-box}
body{margin:0 auto;max-width:1536px;padding:16px 24px 40px;color:var(--ink);background:var(--paper);
font:14px/1.45 'DejaVu Sans','Segoe UI',Helvetica,Arial,sans-serif}
#picture svg{width:100%;height:auto;display:block}
#picture .plan{cursor:pointer}
#picture .plan.off{opacity:.12}
#picture .plan.on{stroke:#111827;stroke-width:2.2}
.bar{display:flex;flex-wrap:wrap;gap:8px 18px;align-items:center;margin:4px 0}
.bar label{color:var(--soft)}
button{font:inherit;padding:3px 12px;border:1px solid #c5ccd6;border-radius:6px;background:#fff;cursor:pointer}
button:hover{border-color:var(--accent)}
input[type=range]{width:240px;vertical-align:middle;accent-color:var(--accent)}
main{display:grid;grid-template-columns:minmax(0,3fr) minmax(0,2fr);gap:20px;margin-top:12px}
section{border:1px solid var(--line);border-radius:8px;padding:12px 14px;min-width:0}
h2{font-size:14px;margin:0 0 8px}
.scroll{max-height:440px;overflow:auto}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
th,td{padding:3px 10px;text-align:right;white-space:nowrap}
th{position:sticky;top:0;background:#f4f6f9;cursor:pointer;font-weight:600}
th:first-child,td:first-child{text-align:left}
tbody tr{cursor:pointer;border-top:1px solid #f0f2f5}
tbody tr:hover{background:#f4f8ff}
tbody tr.on{background:#e3edfb}
tbody tr.baseline{color:#8b1e1e}
.figures{display:flex;flex-wrap:wrap;gap:6px 26px;margin-bottom:10px}
.figures div span{display:block;color:var(--soft);font-size:12px}
.figures b{font-size:17px}
.good{color:#1b7f3b}.bad{color:#b42318}
.soft{color:var(--soft)}
code{display:block;max-height:76px;overflow:auto;word-break:break-all;background:#f6f7f9;border-radius:6px;padding:6px 8px}
.strip{display:flex;flex-wrap:wrap;gap:1px;margin:6px 0 10px}
.strip i{width:9px;height:14px;background:#2f5fa8;display:block}
.strip i.r{background:#e59a3c}
@media(max-width:1000px){main{grid-template-columns:1fr}}
)css";

const std::string_view kReportControls = R"html(<div class="bar">
<label>memory limit <input type="range" id="limit" min="0" max="1000" value="1000"></label>
<b id="limitText"></b>
<span class="soft" id="count"></span>
<button id="copy" type="button">Copy plan id</button>
<span class="soft">Point at a plan or a row; arrow keys move along the table.</span>
</div>
)html";

const std::string_view kReportBody = R"html(<main>
<section><h2>Plans and baselines</h2><div class="scroll"><table id="table"><thead></thead><tbody></tbody></table></div></section>
<section id="detail"></section>
</main>
)html";

const std::string_view kReportScript = R"js(
'use strict';
const data = JSON.parse(document.getElementById('data').textContent);
const NAMES = ['latency', 'energy', 'peak memory'];
const KEYS = ['l', 'e', 'm'];
const rows = data.plans.map(p => ({...p, base: false}))
  .concat(data.baselines.map(p => ({...p, base: true})));
const points = new Map();
for (const node of document.querySelectorAll('#picture .plan[data-plan]')) {
  const key = node.getAttribute('data-plan');
  if (!points.has(key)) points.set(key, []);
  points.get(key).push(node);
}
const reference = data.baselines.find(b => b.p === 'keep-all') || data.baselines[0];
let selected = data.knee === null ? rows[0] : rows[data.knee];
let order = {key: 'l', up: true};
let limit = Infinity;

function number(value) {
  if (value === 0 || (Math.abs(value) >= 1000 && Number.isInteger(value))) return value.toLocaleString('en');
  return value.toLocaleString('en', {maximumSignificantDigits: 6});
}
function scaled(row, k) { return number(row[KEYS[k]] / data.units[k].d); }
function make(name, text, style) {
  const node = document.createElement(name);
  if (text !== undefined) node.textContent = text;
  if (style) node.className = style;
  return node;
}
const columns = [['plan', 'p', r => r.p]]
  .concat(KEYS.map((key, k) => [NAMES[k] + ' [' + data.units[k].u + ']', key, r => scaled(r, k)]));
if (data.plans.some(p => p.r !== undefined)) {
  columns.push(['recomputed', 'r', r => r.r === undefined ? '' : number(r.r)]);
  columns.push(['groups', 'g', r => r.g === undefined ? '' : number(r.g)]);
}
function compare(a, b) {
  const x = a[order.key], y = b[order.key];
  let result;
  if (order.key === 'p') result = String(x).localeCompare(String(y), 'en', {numeric: true});
  else result = (x ?? -1) - (y ?? -1);
  return order.up ? result : -result;
}
function shown() { return rows.filter(r => r.m <= limit).sort(compare); }
function head() {
  const row = make('tr');
  for (const [title, key] of columns) {
    const cell = make('th', title + (order.key === key ? (order.up ? ' ▲' : ' ▼') : ''));
    cell.addEventListener('click', () => {
      order = {key, up: order.key === key ? !order.up : true};
      table();
    });
    row.append(cell);
  }
  document.querySelector('#table thead').replaceChildren(row);
}
function table() {
  head();
  const body = document.querySelector('#table tbody');
  body.replaceChildren(...shown().map(r => {
    const row = make('tr', undefined, (r.base ? 'baseline' : '') + (r === selected ? ' on' : ''));
    for (const column of columns) row.append(make('td', column[2](r)));
    row.addEventListener('mouseenter', () => highlight(r));
    row.addEventListener('mouseleave', () => highlight(selected));
    row.addEventListener('click', () => choose(r));
    return row;
  }));
}
function highlight(r) {
  for (const nodes of points.values()) for (const node of nodes) node.classList.remove('on');
  if (!r || r.base) return;
  for (const node of points.get(r.p) || []) node.classList.add('on');
}
function difference(row, k) {
  const base = reference && reference[KEYS[k]];
  if (!base) return null;
  const share = (row[KEYS[k]] / base - 1) * 100;
  const text = (share > 0 ? '+' : '') + share.toFixed(1) + ' % vs ' + reference.p;
  return make('div', text, share > 0 ? 'bad' : share < 0 ? 'good' : 'soft');
}
function figure(title, value, below) {
  const node = make('div');
  node.append(make('span', title), make('b', value));
  if (below) node.append(below);
  return node;
}
function svg(name, attributes) {
  const node = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  return node;
}
function label(x, y, anchor, text) {
  const node = svg('text', {x, y, 'text-anchor': anchor, 'font-size': 11, fill: '#4b5563'});
  node.textContent = text;
  return node;
}
function memoryCurve(r) {
  const width = 560, height = 190, left = 64, bottom = 22, top = 8;
  const high = Math.max(...r.a, Number.isFinite(limit) ? limit : 0) * 1.05 || 1;
  const x = i => left + (width - left - 6) * i / r.a.length;
  const y = v => top + (height - top - bottom) * (1 - v / high);
  let path = 'M' + x(0) + ' ' + y(0);
  r.a.forEach((v, i) => { path += 'L' + x(i) + ' ' + y(v) + 'L' + x(i + 1) + ' ' + y(v); });
  path += 'L' + x(r.a.length) + ' ' + y(0) + 'Z';
  const picture = svg('svg', {viewBox: '0 0 ' + width + ' ' + height, width: '100%'});
  for (let i = 0; i <= 4; i++) {
    const v = high * i / 4.2;
    picture.append(svg('line', {x1: left, x2: width - 6, y1: y(v), y2: y(v), stroke: '#e8ebf0'}));
    picture.append(label(left - 6, y(v) + 4, 'end', number(Number((v / data.units[2].d).toPrecision(3)))));
  }
  picture.append(svg('path', {d: path, fill: '#2f5fa8', 'fill-opacity': .3, stroke: '#2f5fa8'}));
  if (Number.isFinite(limit)) picture.append(svg('line', {x1: left, x2: width - 6, y1: y(limit), y2: y(limit),
    stroke: '#b45309', 'stroke-dasharray': '6 4'}));
  picture.append(svg('line', {x1: x(r.b), x2: x(r.b), y1: top, y2: height - bottom, stroke: '#6b7280', 'stroke-dasharray': '2 3'}));
  picture.append(label((left + x(r.b)) / 2, height - 6, 'middle', 'forward'));
  picture.append(label((x(r.b) + width) / 2, height - 6, 'middle', 'backward'));
  return picture;
}
function strip(genome) {
  const node = make('div', undefined, 'strip');
  for (const c of genome.split(':')[0]) if (c === 'k' || c === 'r') node.append(make('i', undefined, c));
  return node;
}
function detail() {
  const box = document.getElementById('detail');
  const r = selected;
  if (!r) { box.replaceChildren(make('h2', 'No plan')); return; }
  const knee = data.knee !== null && r === rows[data.knee] ? ' (knee)' : '';
  const figures = make('div', undefined, 'figures');
  KEYS.forEach((key, k) => figures.append(
    figure(NAMES[k] + ' [' + data.units[k].u + ']', scaled(r, k), difference(r, k))));
  const parts = [make('h2', (r.base ? 'Baseline ' : 'Plan ') + r.p + knee), figures];
  if (r.r !== undefined) {
    const more = make('div', undefined, 'figures');
    more.append(figure('recomputed', number(r.r)), figure('groups', number(r.g)),
      figure('off-chip bytes', number(r.o)), figure('recompute MACs', number(r.w)));
    parts.push(more);
  }
  if (r.t && r.t.includes(':')) {
    parts.push(make('div', 'keep (blue) or recompute (orange), in forward order', 'soft'), strip(r.t));
  }
  if (r.a && r.a.length) {
    parts.push(make('div', 'memory over the step [' + data.units[2].u + ']', 'soft'), memoryCurve(r));
  }
  if (r.t) parts.push(make('div', 'genome', 'soft'), make('code', r.t));
  box.replaceChildren(...parts);
}
function choose(r) { selected = r; table(); highlight(r); detail(); }
function applyLimit() {
  const slider = document.getElementById('limit');
  const all = rows.map(r => r.m);
  const low = Math.min(...all), high = Math.max(...all);
  limit = slider.value === '1000' ? Infinity : low + (high - low) * slider.value / 1000;
  document.getElementById('limitText').textContent =
    Number.isFinite(limit) ? number(Number((limit / data.units[2].d).toPrecision(5))) + ' ' + data.units[2].u : 'none';
  let count = 0;
  for (const r of data.plans) {
    if (r.m <= limit) count++;
    for (const node of points.get(r.p) || []) node.classList.toggle('off', r.m > limit);
  }
  document.getElementById('count').textContent = count + ' of ' + data.plans.length + ' plans';
  table();
  detail();
}
document.getElementById('limit').addEventListener('input', applyLimit);
document.getElementById('copy').addEventListener('click', () => {
  if (selected && navigator.clipboard) navigator.clipboard.writeText(selected.p);
});
document.addEventListener('keydown', event => {
  const step = {ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1}[event.key];
  if (!step || event.target.tagName === 'INPUT') return;
  event.preventDefault();
  const list = shown();
  const at = Math.max(0, Math.min(list.length - 1, list.indexOf(selected) + step));
  if (list.length) choose(list[at]);
});
for (const [plan, nodes] of points) {
  const r = rows.find(one => !one.base && one.p === plan);
  for (const node of nodes) {
    node.addEventListener('mouseenter', () => highlight(r));
    node.addEventListener('mouseleave', () => highlight(selected));
    node.addEventListener('click', () => choose(r));
    const title = document.createElementNS('http://www.w3.org/2000/svg', 'title');
    if (r) title.textContent = 'plan ' + plan + ': ' + KEYS.map((key, k) => scaled(r, k) + ' ' + data.units[k].u).join(', ');
    node.append(title);
  }
}
if (rows.length) { applyLimit(); highlight(selected); } else { detail(); head(); }
)js";

}  // namespace paretrain::results
