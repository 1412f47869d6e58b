import { isMailAddress } from '../../../domain/mail/mail-address.ts';
import { organisationIn } from '../../../domain/organisation/organisation.ts';
import type { SiteRecord } from '../../../domain/organisation/ports.ts';
import type { EnquirySettings } from './enquiry-settings.ts';

/** The address that gets the enquiries; undefined if there is none. */
export function recipientOf({ recipient }: EnquirySettings, organisation: SiteRecord | undefined): string | undefined {
  const email = recipient ?? organisationIn(organisation).contact?.email;
  return email !== undefined && isMailAddress(email) ? email : undefined;
}
