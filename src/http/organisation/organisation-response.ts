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
  const stored = organisationView(organisation, logo, origin);
  const withHtml = async <T extends { about?: string }>(texts: T): Promise<T & { aboutHtml?: string }> =>
    texts.about === undefined ? texts : { ...texts, aboutHtml: await markdownToHtml(texts.about) };
  const { en, de } = stored.translations ?? {};
  const translations = { ...(en && { en: await withHtml(en) }), ...(de && { de: await withHtml(de) }) };
  const view = { ...(await withHtml(stored)), ...(stored.translations !== undefined && { translations }) };
  return { view, text: JSON.stringify(view), etag: `"${version}"` };
}

export function ownFieldsResponse({ fields, version }: StoredOwnFields): { text: string; etag: string } {
  return { text: ownFieldsText(fields), etag: `"${version}"` };
}
