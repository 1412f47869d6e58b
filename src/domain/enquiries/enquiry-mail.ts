import { mayEveryone, type Permission } from '../access.ts';
import type { EnquiryMail, EnquiryMailSource } from '../mail/ports.ts';
import type { QueuedMail } from '../mail/mail.ts';
import type { SiteRecordStore } from '../organisation/ports.ts';
import { settingsIn } from './enquiry-settings.ts';
import type { EnquiryStore } from './ports.ts';
import { recipientOf } from './recipient.ts';

interface EnquiryMessagesDeps {
  may: Permission;
  enquiries: Pick<EnquiryStore, 'find'>;
  siteRecords: Pick<SiteRecordStore, 'find'>;
}

/** The contents of messages about enquiries. The queue has only the id, so that a deleted enquiry leaves no copy. */
export class EnquiryMessages implements EnquiryMailSource {
  readonly #deps: EnquiryMessagesDeps;

  constructor(deps: EnquiryMessagesDeps) {
    this.#deps = deps;
  }

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
