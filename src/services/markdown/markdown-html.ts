import MarkdownIt, { type Token } from 'markdown-it';

/**
 * Markdown as HTML with these elements only: paragraphs, line breaks, emphasis, lists, headings from h3 on, and links.
 * Everything else, such as HTML and images, stays text. `zero` has no rules but paragraphs and text, so the rules below
 * are all that write elements.
 */
const markdown = new MarkdownIt('zero', { breaks: true }).enable([
  ...(['heading', 'list', 'newline', 'escape', 'entity'] as const),
  ...(['emphasis', 'link', 'autolink'] as const),
]);

/** A link that leads to a page, or to a person. Others stay text. */
markdown.validateLink = (url) => /^(?:https?:\/\/|mailto:|tel:)/i.test(url);

/** A page has the name of the pet in h1 and the heading of the text in h2. */
const HIGHEST_HEADING = 3;

markdown.core.ruler.push('adapt', ({ tokens }) => {
  for (const token of tokens) {
    const level = /^h(\d)$/.exec(token.tag)?.[1];
    if (level !== undefined) token.tag = `h${Math.min(Number(level) + HIGHEST_HEADING - 1, 6)}`;
    token.children &&= withoutEmptyLinks(token.children);
    for (const child of token.children ?? [])
      if (child.type === 'link_open')
        child.attrs = [
          ['href', child.attrGet('href') ?? ''],
          ['rel', 'nofollow noopener'],
        ];
  }
});

/** A link without an address, `[text]()`, would lead to the page itself. `validateLink` is not asked about it. */
function withoutEmptyLinks(tokens: readonly Token[]): Token[] {
  let isEmpty = false;
  return tokens.filter((token) => {
    if (token.type === 'link_open') isEmpty = token.attrGet('href') === '';
    return !(isEmpty && token.type.startsWith('link_'));
  });
}

export function parseMarkdown(text: string): readonly Token[] {
  return markdown.parse(text, {});
}

export function markdownHtml(text: string): string {
  return markdown.render(text).trimEnd();
}
