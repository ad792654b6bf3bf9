/** The style sheet; light or dark by the system's preference. */
export const style = `
:root { color-scheme: light dark; --ink: #1d2430; --paper: #fbfbf9; --line: #d9dbd5; --soft: #5c6675;
  --good: #1d6b3f; --good-paper: #e5f3ea; --bad: #9b1c1c; --bad-paper: #fbe9e7; --link: #1f4e9b;
  --warn: #7a4a00; --warn-paper: #fdf2d8; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e8ec; --paper: #14181f; --line: #333b47; --soft: #98a3b3;
  --good: #8fd6ae; --good-paper: #16301f; --bad: #f5a9a0; --bad-paper: #3a1a18; --link: #93b8f5;
  --warn: #f0c674; --warn-paper: #33280f; } }
* { box-sizing: border-box; }
body { margin: 0; font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); }
header { border-bottom: 1px solid var(--line); }
header, main, footer { padding: 0.8rem 1.5rem; max-width: 72rem; margin: 0 auto; }
header { display: flex; flex-wrap: wrap; gap: 0.3rem 1.4rem; align-items: baseline; }
header strong { font-size: 1.05rem; } header .who { margin-left: auto; color: var(--soft); }
a { color: var(--link); } nav { display: flex; flex-wrap: wrap; gap: 0.3rem 1.1rem; }
nav a[aria-current] { color: var(--ink); text-decoration: none; font-weight: 600; }
h1 { font-size: 1.35rem; margin: 1rem 0 0.6rem; } h2 { font-size: 1.05rem; margin: 1.8rem 0 0.4rem; }
.verdict { padding: 0.7rem 1rem; border-radius: 6px; margin: 0.6rem 0 1.2rem; }
.good { color: var(--good); background: var(--good-paper); } .bad { color: var(--bad); background: var(--bad-paper); }
.warn { color: var(--warn); background: var(--warn-paper); } .verdict a { color: inherit; } .verdict form.line { margin: 0.4rem 0; }
.verdict button { border-color: currentColor; color: inherit; }
.verdict ul { margin: 0; padding-left: 1.1rem; } .verdict p { margin: 0; }
.wide { overflow-x: auto; } :focus-visible { outline: 3px solid var(--link); outline-offset: 2px; } main:focus { outline: none; }
.unseen { position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.skip { position: absolute; left: -99rem; } .skip:focus { left: 0.5rem; top: 0.5rem; padding: 0.3rem 0.6rem; background: var(--paper); }
#refreshing { max-width: 72rem; margin: 0.5rem auto 0; padding: 0 1.5rem; font-size: 0.85rem; }
#refreshing[hidden] { display: none; } #refreshing button { padding: 0.1rem 0.5rem; margin-right: 0.6rem; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: 0.35rem 1.1rem 0.35rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
th { font-weight: 600; color: var(--soft); white-space: nowrap; } th[scope="row"] { width: 15rem; } td.n, th.n { text-align: right; }
td { overflow-wrap: break-word; } td.why { overflow-wrap: anywhere; min-width: 12rem; } td.time, td time { white-space: nowrap; } time { text-decoration: underline dotted; text-underline-offset: 3px; cursor: help; }
td.prose { min-width: 15rem; } td.state { min-width: 11rem; } td.lines { max-width: 10.5rem; } td.reason { min-width: 11rem; max-width: 18rem; }
.clip { display: block; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.two-lines { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; overflow: hidden; }
.clip:focus-within, .two-lines:focus-within { white-space: normal; overflow: visible; display: block; }
td.lost { color: var(--bad); }
dl.numbers { display: grid; grid-template-columns: repeat(auto-fill, minmax(11rem, 1fr)); gap: 0.7rem; margin: 0; }
dl.numbers div { border: 1px solid var(--line); border-radius: 6px; padding: 0.5rem 0.8rem; }
dl.numbers dt { color: var(--soft); font-size: 0.85rem; } dl.numbers dd { margin: 0; font-size: 1.25rem; }
code { font: 0.9em ui-monospace, monospace; } .soft { color: var(--soft); } p.soft { margin: 0.3rem 0; }
form.line { display: flex; flex-wrap: wrap; gap: 0.6rem; align-items: end; margin: 0.8rem 0; }
form.line label { display: grid; font-size: 0.85rem; color: var(--soft); }
input, select { max-width: 100%; } form.line label { max-width: 100%; } ul, ol, p, h1, h2, dd, code { overflow-wrap: anywhere; }
@media (max-width: 30rem) { header, main, footer, #refreshing { padding-left: 0.8rem; padding-right: 0.8rem; }
  header .who { margin-left: 0; } td, th { padding-right: 0.7rem; } dl.numbers { grid-template-columns: 1fr 1fr; } }
input, select, button { font: inherit; padding: 0.3rem 0.6rem; border: 1px solid var(--line); border-radius: 5px;
  background: transparent; color: inherit; }
select option { color: initial; } button { cursor: pointer; white-space: nowrap; border-color: var(--link); color: var(--link); }
figure.chart { margin: 0.8rem 0 1.2rem; } figure.chart svg { display: block; width: 100%; height: 9rem; }
figcaption { font-weight: 600; } .chart .scale { display: flex; justify-content: space-between; margin: 0.1rem 0; color: var(--soft); font-size: 0.85rem; }
.chart .axis, .chart .grid { stroke: var(--line); } .chart .line { fill: none; stroke-width: 2; vector-effect: non-scaling-stroke; stroke-linecap: round; stroke-linejoin: round; }
.calm { --of: #2f7d5b; } .loud { --of: #c0392b; } .first { --of: #3b6fc4; } .second { --of: #b7791f; } .third { --of: #8a4fa3; }
.chart rect { fill: var(--of); } .chart .line { stroke: var(--of); } .ink { display: inline-block; width: 0.8rem; height: 0.8rem;
  margin-right: 0.35rem; border-radius: 2px; background: var(--of); }
ul.legend { display: flex; flex-wrap: wrap; gap: 0.2rem 1rem; list-style: none; margin: 0.2rem 0; padding: 0; font-size: 0.85rem; }
footer { color: var(--soft); font-size: 0.85rem; } h3 { font-size: 0.95rem; margin: 1.1rem 0 0.3rem; }
ol.timeline { list-style: none; margin: 0.3rem 0; padding: 0 0 0 1rem; border-left: 2px solid var(--line); }
ol.timeline li { position: relative; margin: 0 0 0.6rem; } ol.timeline li::before { content: ""; position: absolute; left: -1.36rem; top: 0.45rem;
  width: 0.6rem; height: 0.6rem; border-radius: 50%; background: var(--link); }
summary { cursor: pointer; } .text { white-space: pre-wrap; margin: 0.3rem 0; }
fieldset.line { border: 0; margin: 0.6rem 0; padding: 0; display: flex; flex-wrap: wrap; gap: 0.6rem; align-items: center; }
label.tick { display: flex; gap: 0.4rem; align-items: center; } button.discard { border-color: var(--bad); color: var(--bad); }
input[name="id"] { min-width: min(26rem, 80vw); }
`;
