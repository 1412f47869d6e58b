import { accentStyles } from '../../../api/web/accent-styles.ts';
import type { EmbedOptions } from '../api/embed-options.ts';

/* The styles of pages for frames, a few kilobytes instead of those of the application. */

/** The values of `src/web/design/tokens.css`. test/http/embedding.test.ts compares them. */
export const EMBED_TOKENS = {
  '--surface': 'light-dark(#fffdf9, #1a221e)',
  '--surface-sunken': 'light-dark(#f2ebde, #0d1210)',
  '--ink': 'light-dark(#1f2a24, #efeae0)',
  '--ink-soft': 'light-dark(#57625b, #adb7af)',
  '--line': 'light-dark(#e4dac8, #2e3a34)',
  '--accent': 'light-dark(#1c6b4a, #7fcba5)',
  '--accent-hover': 'light-dark(#155339, #9bdabb)',
  '--on-accent': 'light-dark(#ffffff, #0d1a13)',
  '--pending': 'light-dark(#7a4a00, #f4c777)',
  '--pending-soft': 'light-dark(#fbe9c6, #3d2e10)',
  '--sold': 'light-dark(#55417f, #cbb8f2)',
  '--sold-soft': 'light-dark(#e9e2f6, #32284b)',
} as const;

/**
 * The background of the page is that of the website around it. All texts are on surfaces of their own, so that they are
 * readable on every website. No length depends on the height of the frame (\`FRAME_SCRIPT\`).
 */
const RULES = `
body{margin:0;padding:4px;color:var(--ink);font:1rem/1.5 system-ui,-apple-system,'Segoe UI',Roboto,sans-serif}
h1{position:absolute;width:1px;height:1px;margin:-1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
ul{display:grid;gap:var(--gap);grid-template-columns:repeat(auto-fill,minmax(var(--column),1fr));margin:0;padding:0;list-style:none}
li,.note{overflow:hidden;border:1px solid var(--line);border-radius:.75rem;background:var(--surface)}
li{position:relative;display:flex;flex-direction:column}
li:hover{border-color:var(--accent)}
li:has(a:focus-visible){outline:3px solid var(--accent);outline-offset:1px}
.photo{overflow:hidden;aspect-ratio:4/3;background:var(--surface-sunken)}
.photo img{display:block;width:100%;height:100%;object-fit:cover}
.photo svg{display:block;width:100%;height:100%;fill:var(--line)}
.words{padding:.6rem .9rem .75rem;overflow-wrap:anywhere;hyphens:auto}
h2{margin:0;font-size:1.125rem;line-height:1.3}
h2 a{color:inherit;text-decoration:none}
h2 a::after{position:absolute;inset:0;content:''}
h2 a:focus-visible{outline:none}
li:hover h2 a{color:var(--accent)}
p{margin:0}
.tags{color:var(--ink-soft);font-size:.875rem}
.status{position:absolute;top:.5rem;left:.5rem;padding:.1rem .6rem;border-radius:1rem;font-size:.875rem;font-weight:600}
.pending{background:var(--pending-soft);color:var(--pending)}
.sold{background:var(--sold-soft);color:var(--sold)}
.note{padding:.9rem 1rem}
.all{padding-top:.75rem;text-align:center}
.all a{display:inline-block;padding:.55rem 1.1rem;border-radius:.5rem;background:var(--accent);color:var(--on-accent);font-weight:600;text-decoration:none}
.all a:hover{background:var(--accent-hover)}
.all a:focus-visible{outline:3px solid var(--ink);outline-offset:2px}
`.replaceAll('\n', '');

const GAP = '.75rem';

/** Two columns on a phone. */
const MIN_COLUMN = '9rem';

const USUAL_COLUMN = '13rem';

const SCHEMES = { auto: 'light dark', light: 'light', dark: 'dark' } as const;

export function embedStyles(
  { theme, columns }: Pick<EmbedOptions, 'theme'> & { columns: number | undefined },
  accentColour: string | undefined,
): string {
  const tokens = Object.entries(EMBED_TOKENS).map(([token, value]) => `${token}:${value}`);
  const own = [`color-scheme:${SCHEMES[theme]}`, `--gap:${GAP}`, `--column:${columnOf(columns)}`];
  return `:root{${[...own, ...tokens].join(';')}}${RULES}${accentColour === undefined ? '' : accentStyles(accentColour)}`;
}

/** The minimum width of a column, so that there are at most this many; fewer where they would be too narrow. */
function columnOf(columns: number | undefined): string {
  if (columns === undefined) return `min(100%,max(${MIN_COLUMN},min(${USUAL_COLUMN},(100% - ${GAP})/2)))`;
  return `min(100%,max(${MIN_COLUMN},(100% - ${columns - 1}*${GAP})/${columns}))`;
}
