import type { AccountAlert } from '../../../domain/mail/mail.ts';

/** The values of a message that its sentences contain. */
export interface MailValues {
  site: string;
  /** Empty if it may be a text of a stranger. */
  username: string;
  /** A time, with its time zone. */
  expires: string;
}

type Sentence = (values: MailValues) => string;

interface LinkTexts {
  subject: Sentence;
  /** The sentences before the link. */
  before: readonly Sentence[];
  action: Sentence;
  /** The sentences after the link. */
  after: readonly Sentence[];
}

/** The facts of a message, by their names in its details. */
export const FACTS = ['atMs', 'address', 'userAgent', 'name', 'provider', 'email'] as const;

export type Fact = (typeof FACTS)[number];

export interface MailTexts {
  language: string;
  invitation: LinkTexts;
  reset: LinkTexts;
  confirmation: LinkTexts;
  test: { subject: Sentence; text: Sentence };
  certificate: {
    subject: (values: { site: string }) => string;
    text: (values: { site: string }) => string;
    since: string;
    /** When the certificate in use expires. */
    until: string;
    error: string;
    action: string;
  };
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
