import { createElement, type CSSProperties, type ReactElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import type { Block } from '../../domain/mail/message.ts';
import type { Message } from './message.ts';

const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, sans-serif';

/** Inline, because many mail programs ignore style sheets. */
const STYLES = {
  page: { fontFamily: FONT, fontSize: '16px', lineHeight: '1.5', maxWidth: '36em', margin: '0 auto', padding: '16px' },
  heading: { fontSize: '20px', lineHeight: '1.3', margin: '0 0 16px' },
  text: { margin: '0 0 16px' },
  label: { padding: '2px 16px 2px 0', textAlign: 'left', verticalAlign: 'top', fontWeight: 600 },
  value: { padding: '2px 0', overflowWrap: 'anywhere' },
  link: {
    display: 'inline-block',
    padding: '10px 18px',
    borderRadius: '8px',
    background: '#1d5c4a',
    color: '#ffffff',
    textDecoration: 'none',
    fontWeight: 600,
  },
  small: { fontSize: '14px', margin: '24px 0 0' },
  address: { fontSize: '14px', overflowWrap: 'anywhere', margin: '0 0 16px' },
} as const satisfies Record<string, CSSProperties>;

/** The message as plain text. */
export function textOf({ subject, blocks, footer }: Message): string {
  return `${[subject, ...blocks.map(blockText), `-- \n${footer}`].join('\n\n')}\n`;
}

function blockText(block: Block): string {
  if (block.kind === 'paragraph') return block.text;
  if (block.kind === 'link') return `${block.label}:\n${block.url}`;
  if (block.kind === 'lines') return block.lines.map((line) => (block.isQuoted ? `> ${line}` : line)).join('\n');
  if (block.kind === 'list') return block.items.map(({ text, url }) => `${text}:\n${url}`).join('\n\n');
  return block.facts.map(([label, value]) => `${label}: ${value}`).join('\n');
}

/** The same message as HTML, without images and scripts. */
export function htmlOf({ language, subject, blocks, footer }: Message): string {
  const head = createElement(
    'head',
    null,
    createElement('meta', { charSet: 'utf-8' }),
    createElement('meta', { name: 'viewport', content: 'width=device-width' }),
    createElement('title', null, subject),
  );
  const body = createElement(
    'body',
    { style: { margin: 0 } },
    createElement(
      'div',
      { style: STYLES.page },
      createElement('h1', { style: STYLES.heading }, subject),
      ...blocks.flatMap(blockElements),
      createElement('p', { style: STYLES.small }, footer),
    ),
  );
  return `<!doctype html>${renderToStaticMarkup(createElement('html', { lang: language }, head, body))}`;
}

function blockElements(block: Block): readonly ReactElement[] {
  if (block.kind === 'paragraph') return [createElement('p', { style: STYLES.text }, block.text)];
  if (block.kind === 'lines') {
    const lines = block.lines.flatMap((line, index) => [...(index === 0 ? [] : [createElement('br')]), line]);
    return [createElement(block.isQuoted ? 'blockquote' : 'p', { style: STYLES.text }, ...lines)];
  }
  if (block.kind === 'link') {
    const link = createElement('a', { href: block.url, style: STYLES.link }, block.label);
    // For mail programs that show no links, and for recipients who want to see where a link leads.
    return [createElement('p', { style: STYLES.text }, link), createElement('p', { style: STYLES.address }, block.url)];
  }
  if (block.kind === 'list') {
    const items = block.items.map(({ text, url }) =>
      createElement('li', { key: url }, createElement('a', { href: url }, text)),
    );
    return [createElement('ul', { style: STYLES.text }, ...items)];
  }
  const rows = block.facts.map(([label, value], index) =>
    createElement(
      'tr',
      { key: index },
      createElement('th', { scope: 'row', style: STYLES.label }, label),
      createElement('td', { style: STYLES.value }, value),
    ),
  );
  return [createElement('table', { style: STYLES.text }, createElement('tbody', null, ...rows))];
}
