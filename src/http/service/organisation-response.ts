import {
  organisationView,
  type Organisation as OrganisationRecord,
} from '../../api/records/organisation/organisation.ts';
import { ownFieldsText } from '../../api/records/organisation/own-field.ts';
import type { StoredOrganisation, StoredOwnFields } from '../../domain/organisation/site-records.ts';
import type { MarkdownToHtml } from '../../domain/ports.ts';

/**
 * The response for the organisation.
 *
 * @param origin the origin at which the client reaches the service
 */
export async function organisationResponse(
  { organisation, logo, version }: StoredOrganisation,
  origin: string,
  markdownToHtml: MarkdownToHtml,
): Promise<{ view: OrganisationRecord; text: string; etag: string }> {
  const { about } = organisation;
  const view = {
    ...organisationView(organisation, logo, origin),
    ...(about !== undefined && { aboutHtml: await markdownToHtml(about) }),
  };
  return { view, text: JSON.stringify(view), etag: `"${version}"` };
}

/** The response for the definitions of own fields. */
export function ownFieldsResponse({ fields, version }: StoredOwnFields): { text: string; etag: string } {
  return { text: ownFieldsText(fields), etag: `"${version}"` };
}
