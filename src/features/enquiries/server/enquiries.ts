import type { QueuedMail } from '../../../domain/mail/mail.ts';
import { counter } from '../../../server/metrics/families.ts';
import type { ServerFeature } from '../../../server/features/feature.ts';
import { EnquiryActivity } from '../domain/enquiry-activity.ts';
import { deleteExpired, EnquiryAdministration } from '../domain/enquiry-administration.ts';
import { EnquiryMessages } from '../domain/enquiry-mail.ts';
import { EnquiryReception } from '../domain/enquiry-reception.ts';
import { EnquiryRoutes } from '../http/enquiry-routes.ts';
import { enquiryMessage } from '../mail/enquiry-messages.ts';

export interface UseCases {
  enquiryReception: EnquiryReception;
  enquiryAdministration: EnquiryAdministration;
  enquiryActivity: EnquiryActivity;
}

/** Questions and adoption requests of families about a pet. */
export const ENQUIRIES: ServerFeature<UseCases> = {
  compose(core) {
    const enquiryActivity = new EnquiryActivity();
    return {
      enquiryActivity,
      enquiryReception: new EnquiryReception({ ...core, activity: enquiryActivity }),
      enquiryAdministration: new EnquiryAdministration(core),
    };
  },
  routesOf: (useCases) => new EnquiryRoutes(useCases),
  mailOf({ stores, may, siteUrl }) {
    const messages = new EnquiryMessages({ ...stores, may });
    const prepare = async (queued: QueuedMail) => {
      const mail = await messages.prepare(queued);
      return mail && enquiryMessage(queued.kind, mail, siteUrl);
    };
    return { enquiry: prepare, 'enquiry-received': prepare, 'enquiry-answer': prepare };
  },
  clear: { enquiries: deleteExpired },
  async readMetrics(_stores, { enquiryActivity: { received, refused } }) {
    const reasons = [...refused].map(([reason, count]) => [{ reason }, count] as const);
    return [
      counter('menagerie_enquiries_received_total', 'Enquiries that were stored.', received),
      counter('menagerie_enquiries_refused_total', 'Enquiries that were not stored; honey: of a program.', reasons),
    ];
  },
};
