import type { GradedBug, Grading } from './grader.ts';

/* The report as a page in one file, for both themes. */

const STYLE = `
  :root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif;
    --text: light-dark(#1f2328, #e6e6e6); --quiet: light-dark(#59636e, #a8b0b8); --page: light-dark(#fff, #16191d);
    --line: light-dark(#d1d9e0, #3d444d); --good: light-dark(#116329, #7ee787); --bad: light-dark(#a40e26, #ffa198); }
  body { margin: 2rem auto; max-width: 60rem; padding: 0 1rem; color: var(--text); background: var(--page); }
  h1 { font-size: 1.5rem; }
  p, td { overflow-wrap: anywhere; }
  code { font: 0.875rem ui-monospace, monospace; }
  .table { overflow-x: auto; }
  table { border-collapse: collapse; width: 100%; min-width: 34rem; }
  th, td { padding: 0.5rem 0.75rem 0.5rem 0; border-bottom: 1px solid var(--line); text-align: start; vertical-align: top; }
  td:nth-child(-n + 2) { white-space: nowrap; }
  th, .quiet { color: var(--quiet); font-weight: normal; }
  .noticed { color: var(--good); }
  .missed, .flaky { color: var(--bad); font-weight: bold; }
`;

export function reportPage({ command, at, bugs }: Grading, version: string, sentence: string): string {
  const cells = ['Bug', 'Group', 'Result', 'Requests', 'Description'].map((name) => `<th scope="col">${name}</th>`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Planted bugs: ${escaped(sentence)}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>Planted bugs</h1>
<p>${escaped(sentence)}</p>
<p class="quiet"><code>${escaped(command.join(' '))}</code><br>Menagerie ${escaped(version)}, ${at.toISOString()}</p>
<div class="table" tabindex="0" role="region" aria-label="Bugs">
<table>
<thead><tr>${cells.join('')}</tr></thead>
<tbody>
${bugs.map(rowOf).join('\n')}
</tbody>
</table>
</div>
</body>
</html>
`;
}

function rowOf({ id, group, verdict, met, description, run }: GradedBug): string {
  const result = run.outcome === 'timed out' ? `${verdict}, timed out` : verdict;
  const cells = [
    `<td>${escaped(id)}</td>`,
    `<td>${escaped(group)}</td>`,
    `<td class="${verdict.replace(' ', '-')}">${result}</td>`,
    `<td>${met}</td>`,
    `<td>${escaped(description)}</td>`,
  ];
  return `<tr>${cells.join('')}</tr>`;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ESCAPES[character] ?? '');
}
