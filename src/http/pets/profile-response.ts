import { readProfileText } from '../../domain/pets/profile.ts';
import type { ReadProfile } from '../../domain/pets/pet-profiles.ts';
import type { MarkdownToHtml } from '../../domain/ports.ts';

/** The response for a profile: the text as it is stored, with the story in HTML as well. */
export type ProfileResponse = (profile: ReadProfile) => Promise<{ text: string; etag: string }>;

export function profileResponse(markdownToHtml: MarkdownToHtml): ProfileResponse {
  return async (profile) => {
    const etag = `"${profileTag(profile)}"`;
    const { description } = readProfileText(profile.text);
    if (description === undefined) return { text: profile.text, etag };
    const html = JSON.stringify(await markdownToHtml(description));
    return { text: `${profile.text.slice(0, -1)},"descriptionHtml":${html}}`, etag };
  };
}

/** The part that everyone may read has other bytes, so it has a different tag (RFC 9110, section 8.8.3). */
export function profileTag({ version, isPublic, currency }: ReadProfile): string | bigint {
  if (!isPublic) return version;
  return currency === undefined ? `${version}-public` : `${version}-public-${currency}`;
}
