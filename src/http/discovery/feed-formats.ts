import type { Language } from '../../api/web/languages.ts';
import { timeText } from '../../api/records/fields.ts';
import { XML_DECLARATION, xmlElement } from './xml.ts';

/* A feed as Atom (RFC 4287) and as JSON Feed (https://www.jsonfeed.org/version/1.1/). */

export interface Feed {
  title: string;
  language: Language;
  author: string;
  /** The URL of the page with the same pets. */
  pageUrl: string;
  /** The newest first. */
  entries: readonly FeedEntry[];
}

export interface FeedEntry {
  /** The URL of the page, which is the id as well. */
  url: string;
  title: string;
  summary: string;
  updatedMs: number;
  /** The category and the tags of the pet. */
  labels: readonly string[];
  photo: { url: string; mediaType: string; alt: string | null } | undefined;
}

interface FeedFormat {
  path: string;
  mediaType: string;
  /** @param feedUrl the URL of the feed itself */
  write: (feed: Feed, feedUrl: string) => string;
}

export const FEED_FORMATS: readonly FeedFormat[] = [
  { path: '/feed.atom', mediaType: 'application/atom+xml', write: atomText },
  { path: '/feed.json', mediaType: 'application/feed+json', write: jsonText },
];

function atomText({ title, language, author, pageUrl, entries }: Feed, feedUrl: string): string {
  const lines = [
    `<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="${language}">`,
    xmlElement('id', { text: feedUrl }),
    xmlElement('title', { text: title }),
    xmlElement('updated', { text: timeText(Math.max(0, ...entries.map(({ updatedMs }) => updatedMs))) }),
    `<author>${xmlElement('name', { text: author })}</author>`,
    link('self', feedUrl, 'application/atom+xml'),
    link('alternate', pageUrl, 'text/html'),
    ...entries.map(atomEntry),
    '</feed>',
  ];
  return `${XML_DECLARATION}${lines.join('\n')}\n`;
}

function atomEntry({ url, title, summary, updatedMs, labels, photo }: FeedEntry): string {
  const lines = [
    '<entry>',
    xmlElement('id', { text: url }),
    xmlElement('title', { text: title }),
    xmlElement('updated', { text: timeText(updatedMs) }),
    xmlElement('summary', { text: summary }),
    link('alternate', url, 'text/html'),
    ...labels.map((term) => xmlElement('category', { attributes: { term } })),
    ...(photo === undefined ? [] : [link('enclosure', photo.url, photo.mediaType)]),
    '</entry>',
  ];
  return lines.join('\n');
}

function link(rel: string, href: string, type: string): string {
  return xmlElement('link', { attributes: { rel, type, href } });
}

function jsonText({ title, language, author, pageUrl, entries }: Feed, feedUrl: string): string {
  return JSON.stringify({
    version: 'https://jsonfeed.org/version/1.1',
    title,
    home_page_url: pageUrl,
    feed_url: feedUrl,
    language,
    authors: [{ name: author }],
    items: entries.map(jsonItem),
  });
}

function jsonItem({ url, title, summary, updatedMs, labels, photo }: FeedEntry) {
  return {
    id: url,
    url,
    title,
    content_text: summary,
    date_modified: timeText(updatedMs),
    ...(labels.length > 0 && { tags: labels }),
    ...(photo !== undefined && {
      image: photo.url,
      attachments: [{ url: photo.url, mime_type: photo.mediaType, ...(photo.alt !== null && { title: photo.alt }) }],
    }),
  };
}
