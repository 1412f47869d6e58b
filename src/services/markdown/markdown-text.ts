import { parseMarkdown } from './markdown-html.ts';

/** Markdown as plain text: an empty line between paragraphs, and a hyphen before the entries of lists. */
export function markdownText(text: string): string {
  let before = '';
  let plain = '';
  for (const { type, children } of parseMarkdown(text)) {
    if (type === 'list_item_open') before = '\n- ';
    else if (type === 'paragraph_open' || type === 'heading_open') before ||= '\n\n';
    if (type !== 'inline') continue;
    plain += before + (children ?? []).map(inlineText).join('');
    before = '';
  }
  return plain.trim();
}

function inlineText({ type, content }: { type: string; content: string }): string {
  return type === 'softbreak' || type === 'hardbreak' ? '\n' : content;
}
