import { withSingleStops } from '../sentences.ts';

/* The parts of a message, and how values become texts in it. */

/** A part of a message, from which both its text and its HTML are written. */
export type Block =
  | { kind: 'paragraph'; text: string }
  /** Several lines: those of a stranger are marked as a quotation. */
  | { kind: 'lines'; lines: readonly string[]; isQuoted: boolean }
  | { kind: 'facts'; facts: readonly (readonly [label: string, value: string])[] }
  | { kind: 'link'; label: string; url: string }
  | { kind: 'list'; items: readonly { text: string; url: string }[] };

export interface MessageParts {
  subject: string;
  blocks: readonly Block[];
}

/** Control characters, line separators and marks of direction, with which a value could pretend to be another part. */
const NOT_PLAIN = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu;

export function plain(text: string): string {
  return text.replaceAll(NOT_PLAIN, ' ').trim();
}

export function paragraph(text: string): Block {
  return { kind: 'paragraph', text: withSingleStops(text) };
}

export function dayText(atMs: number, locale: string): string {
  return new Intl.DateTimeFormat(locale, { dateStyle: 'long' }).format(atMs);
}

/** In the time zone of the service, with its name: that of the recipient is unknown. */
export function timeText(atMs: number, locale: string): string {
  const format = new Intl.DateTimeFormat(locale, {
    year: 'numeric',
    month: 'long',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZoneName: 'short',
  });
  return format.format(atMs);
}
