import type { AccountAlert } from '../../../domain/mail/mail.ts';

/** The values of a message that its sentences contain. */
export interface MailValues {
  site: string;
  username: string;
  /** A time, with its time zone. */
  expires: string;
}

type Sentence = (values: MailValues) => string;

interface LinkTexts {
  subject: Sentence;
  /** Before the link. */
  before: readonly Sentence[];
  action: Sentence;
  /** After the link. */
  after: readonly Sentence[];
}

/** The facts of a message, by their names in its details. */
export const FACTS = ['atMs', 'address', 'userAgent', 'name', 'provider', 'email'] as const;

export type Fact = (typeof FACTS)[number];

/** The texts of all messages in one language. */
export interface MailTexts {
  language: string;
  invitation: LinkTexts;
  reset: LinkTexts;
  confirmation: LinkTexts;
  test: { subject: Sentence; text: Sentence };
  alert: {
    /** The subject, and the first sentence. */
    titles: Readonly<Record<AccountAlert, Sentence>>;
    account: string;
    advice: Sentence;
    action: string;
  };
  facts: Readonly<Record<Fact, string>>;
  footer: Sentence;
}
