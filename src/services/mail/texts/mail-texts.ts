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

/** `pet` is empty if its name may be a text of a stranger. */
type AboutPet = (values: { site: string; pet: string }) => string;

interface EnquiryTexts {
  /** The message to the shelter. */
  subject: (values: { pet: string; sender: string }) => string;
  facts: Readonly<Record<'pet' | 'name' | 'email' | 'phone', string>>;
  answer: Readonly<Record<'yes' | 'no', string>>;
  advice: string;
  action: string;
  /** The message to the person, without anything that the person has sent. */
  receivedSubject: AboutPet;
  received: readonly AboutPet[];
  /** The message to the person, with the answer of the staff. */
  answerSubject: AboutPet;
  /** A person wrote the answer: it was not sent automatically. */
  answerFooter: Sentence;
  /** Only if the shelter gets replies. */
  reply: string;
}

/** The facts of a message, by their names in its details. */
export const FACTS = ['atMs', 'address', 'userAgent', 'name', 'provider', 'email'] as const;

export type Fact = (typeof FACTS)[number];

export interface MailTexts {
  language: string;
  invitation: LinkTexts;
  reset: LinkTexts;
  confirmation: LinkTexts;
  enquiry: EnquiryTexts;
  test: { subject: Sentence; text: Sentence };
  listing: {
    subject: (values: { site: string }) => string;
    text: (values: { site: string }) => string;
    /** The server of the open feed. */
    other: string;
    since: string;
    answer: string;
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
