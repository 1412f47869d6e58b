import { bootstrap } from '../../../web/service/bootstrap.ts';

/* The unsent text of a visitor. It stays in the tab, so that a reload or a look at other pets loses nothing. */

const TEXTS = ['name', 'email', 'phone', 'message'] as const;

export type TextName = (typeof TEXTS)[number];

export interface EnquiryDraft extends Readonly<Record<TextName, string>> {
  /** By the ID of the question; yes and no are texts as well. */
  answers: Readonly<Record<string, string>>;
  /** Dates; an empty text is a day that was not chosen. */
  visitDays: readonly string[];
}

const EMPTY: EnquiryDraft = { name: '', email: '', phone: '', message: '', answers: {}, visitDays: [] };

/** With the path: several services may share a host. */
function keyOf(petId: string): string {
  return `menagerie-enquiry:${bootstrap.basePath}:${petId}`;
}

export function readDraft(petId: string): EnquiryDraft {
  try {
    const stored = JSON.parse(sessionStorage.getItem(keyOf(petId)) ?? '{}') as Partial<EnquiryDraft>;
    return { ...EMPTY, ...stored };
  } catch {
    return EMPTY;
  }
}

/** @param draft undefined after it was sent */
export function keepDraft(petId: string, draft: EnquiryDraft | undefined): void {
  try {
    if (draft === undefined) sessionStorage.removeItem(keyOf(petId));
    else sessionStorage.setItem(keyOf(petId), JSON.stringify(draft));
  } catch {
    // Without storage, it lasts until the page is left.
  }
}
