import assert from 'node:assert/strict';
import { test } from 'node:test';
import { array, assert as assertHolds, constantFrom, oneof, property, string } from 'fast-check';
import { markdownHtml } from '../../src/services/markdown/markdown-html.ts';

/** Every tag that may be in the output. */
const TAG =
  /<(?:\/?(?:p|em|strong|ul|li|h[3-6])|\/?ol|ol start="\d+"|br|\/a|a href="(?:https?:\/\/|mailto:|tel:)[^"<>]*" rel="nofollow noopener")>/gi;

/** What is left without these tags has no character that could begin or end one. */
function assertSafe(markdown: string): void {
  const html = markdownHtml(markdown);
  assert.doesNotMatch(html.replaceAll(TAG, ''), /[<>"]/, `${JSON.stringify(markdown)}\n${html}`);
}

void test('Markdown: paragraphs, emphasis, lists, headings from h3 on, and links', () => {
  const html = markdownHtml(
    '# Luna\n\n*Calm* and **brave**.\nLoves [walks](https://example.org/?a=1&b=2 "Title").\n\n- cats\n- dogs\n\n' +
      '2. second\n\n###### Deep\n\n<https://example.org> <mailto:a@example.org>',
  );
  const rel = 'rel="nofollow noopener"';
  assert.equal(
    html,
    '<h3>Luna</h3>\n<p><em>Calm</em> and <strong>brave</strong>.<br>\n' +
      `Loves <a href="https://example.org/?a=1&amp;b=2" ${rel}>walks</a>.</p>\n` +
      '<ul>\n<li>cats</li>\n<li>dogs</li>\n</ul>\n<ol start="2">\n<li>second</li>\n</ol>\n<h6>Deep</h6>\n' +
      `<p><a href="https://example.org" ${rel}>https://example.org</a> ` +
      `<a href="mailto:a@example.org" ${rel}>mailto:a@example.org</a></p>`,
  );
});

const HOSTILE = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '<div>\n<script>\nalert(1)\n</script>\n</div>',
  '<!-- --><svg/onload=alert(1)>',
  '[a](javascript:alert(1))',
  '[a](JaVaScRiPt:alert(1))',
  '[a](&#106;avascript:alert(1))',
  '[a](java\nscript:alert(1))',
  '[a](\u0001javascript:alert(1))',
  '[a](<javascript:alert(1)>)',
  '[a](data:text/html,<script>alert(1)</script>)',
  '[a](vbscript:x) [a](file:///etc/passwd) [a](//example.org) [a](blob:https://example.org/x)',
  '<javascript:alert(1)>',
  '[a](https://example.org/"onmouseover="alert(1))',
  '[a](https://example.org "x" onclick=alert(1))',
  '[a][b]\n\n[b]: javascript:alert(1)',
  '![a](https://example.org/x.png" onerror="alert(1))',
  '[<b onclick=alert(1)>](https://example.org)',
  '**<b*>** *a<b*',
  '&lt;script&gt; &#60;script&#62; &quot;',
  '[a](https://example.org',
  '[]() [a]()',
  '<a href="https://example.org',
  '```html\n<script>\n```\n\n    <script>\n\n> <script>',
];

void test('Markdown: hostile texts write no other elements or attributes', () => {
  for (const markdown of HOSTILE) {
    assertSafe(markdown);
    assertSafe(`- # ${markdown}`);
  }
  assert.doesNotMatch(markdownHtml(HOSTILE.slice(4, 13).join('\n\n')), /<a /);
});

void test('Markdown: no text writes other elements or attributes', () => {
  const piece = constantFrom(
    ...HOSTILE.flatMap((text) => text.split(/(?<=[\s()[\]<>"*])/)),
    ...(['\n', '\n\n', '- ', '# ', '1. ', '*', '**', '[', '](', ')', '<', '>', '"', '\\', '&#34;', ' '] as const),
    ...(['https://a.b', 'javascript:', '\0', '\u2028', '"><script>'] as const),
  );
  assertHolds(
    property(array(oneof(piece, string({ unit: 'binary' })), { maxLength: 30 }), (pieces) =>
      assertSafe(pieces.join('')),
    ),
    { numRuns: 300 },
  );
});

void test('Markdown: 20,000 characters of any nesting', () => {
  const nesting = ['>', '- ', '*', '*a ', '*a**a', '[', '[a](', '](', '<', '&', '\\', '1. ', '# ', '_*', '- [a\n', '('];
  for (const part of nesting) assertSafe(part.repeat(Math.floor(20_000 / part.length)));
  assertSafe(Array.from({ length: 190 }, (_, depth) => `${' '.repeat(depth)}- a`).join('\n'));
});
