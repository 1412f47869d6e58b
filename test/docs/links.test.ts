import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { test } from 'node:test';

const ROOT = resolve(import.meta.dirname, '../..');
const LINK = /(?:\]\(|src=")(?!https?:)([^)#"\s]*)(?:#([^)"]*))?[)"]/g;

void test('links of the documents: each leads to a file and a heading', () => {
  const documents = globSync(['*.md', 'docs/**/*.md', 'examples/*/*.md'], { cwd: ROOT });
  assert.ok(documents.length > 80, String(documents.length));
  assert.deepEqual(documents.flatMap(brokenLinksIn), []);
});

function brokenLinksIn(document: string): string[] {
  const links = [...withoutCode(readFileSync(join(ROOT, document), 'utf8')).matchAll(LINK)];
  return links.flatMap(([link, path = '', heading]) => {
    const target = path === '' ? join(ROOT, document) : resolve(ROOT, dirname(document), path);
    const isBroken = !existsSync(target) || (heading !== undefined && !headingsOf(target).includes(heading));
    return isBroken ? [`${document}: ${link}`] : [];
  });
}

/** The anchors of GitHub: in lower case, without punctuation, spaces as hyphens. */
function headingsOf(path: string): string[] {
  const headings = withoutCode(readFileSync(path, 'utf8')).matchAll(/^#+ (.*)$/gm);
  return Array.from(headings, ([, text = '']) =>
    text
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

function withoutCode(text: string): string {
  return text.replaceAll(/^ *```.*?^ *```$/gms, '');
}
