import { STORY_FIELDS } from '../../api/records/profile.ts';
import { readProfileText } from '../../domain/pets/profile.ts';
import type { ReadProfile } from '../../domain/pets/pet-profiles.ts';
import type { MarkdownToHtml } from '../../domain/ports.ts';

/** The response for a profile: the text as it is stored, with the stories in HTML as well. */
export type ProfileResponse = (profile: ReadProfile) => Promise<{ text: string; etag: string }>;

export function profileResponse(markdownToHtml: MarkdownToHtml): ProfileResponse {
  return async (profile) => {
    const etag = `"${profileTag(profile)}"`;
    const read = readProfileText(profile.text);
    const stories = STORY_FIELDS.flatMap((field) => (read[field] === undefined ? [] : [{ field, text: read[field] }]));
    const html = await Promise.all(
      stories.map(async ({ field, text }) => `,"${field}Html":${JSON.stringify(await markdownToHtml(text))}`),
    );
    return { text: html.length === 0 ? profile.text : `${profile.text.slice(0, -1)}${html.join('')}}`, etag };
  };
}

/** The part that everyone may read has other bytes, so it has a different tag (RFC 9110, section 8.8.3). */
export function profileTag({ version, isPublic, currency }: ReadProfile): string | bigint {
  if (!isPublic) return version;
  return currency === undefined ? `${version}-public` : `${version}-public-${currency}`;
}
