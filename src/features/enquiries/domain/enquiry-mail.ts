import { mayEveryone, type Permission } from '../../../domain/access.ts';
import type { QueuedMail } from '../../../domain/mail/mail.ts';
import type { SiteRecordStore } from '../../../domain/organisation/ports.ts';
import { settingsIn } from './enquiry-settings.ts';
import type { EnquiryStore } from './ports.ts';
import { recipientOf } from './recipient.ts';

/** The contents of a message about an enquiry. */
export interface EnquiryFacts {
  id: bigint;
  /** Empty in messages to the person if everyone may name pets. */
  petName: string;
  /** This and the next two are only in the message to the shelter. */
  sender?: { name: string; email: string; phone: string | undefined };
  message?: string;
  answers?: readonly { question: string; answer: string | boolean }[];
  answer?: string;
}

export interface EnquiryMail {
  /** Absent for the language of the queued message. */
  language?: string;
  /** The address that gets the reply of the recipient. */
  replyTo: string | undefined;
  facts: EnquiryFacts;
}

interface EnquiryMessagesDeps {
  may: Permission;
  enquiries: Pick<EnquiryStore, 'find'>;
  siteRecords: Pick<SiteRecordStore, 'find'>;
}

/** The contents of messages about enquiries. The queue has only the id, so that a deleted enquiry leaves no copy. */
export class EnquiryMessages {
  readonly #deps: EnquiryMessagesDeps;

  constructor(deps: EnquiryMessagesDeps) {
    this.#deps = deps;
  }

  /** @returns undefined if the enquiry was deleted */
  async prepare({ kind, details }: QueuedMail): Promise<EnquiryMail | undefined> {
    const { may, enquiries, siteRecords } = this.#deps;
    const enquiry = await enquiries.find(BigInt(details['enquiryId'] ?? 0));
    if (enquiry === undefined) return undefined;
    const { id, name, email, phone, message, answers, language } = enquiry;
    if (kind === 'enquiry') {
      const facts = { id, petName: enquiry.petName, sender: { name, email, phone }, message, answers };
      return { replyTo: email, facts };
    }
    const petName = mayEveryone(may, 'write pets') ? '' : enquiry.petName;
    const { settings } = settingsIn(await siteRecords.find('enquiry-settings'));
    const replyTo = recipientOf(settings, await siteRecords.find('organisation'));
    if (kind === 'enquiry-received') return { language, replyTo, facts: { id, petName } };
    const answer = enquiry.entries.find(({ number }) => String(number) === details['entry']);
    return answer && { language, replyTo, facts: { id, petName, answer: answer.text } };
  }
}
