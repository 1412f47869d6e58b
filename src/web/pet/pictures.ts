import type { PetPhotoView } from '../service/queries.ts';

/** A picture of this service, with all that is known of it. */
export type OwnPicture = Extract<PetPhotoView, { digest: string }>;

export function isOwnPicture(photo: PetPhotoView): photo is OwnPicture {
  return 'digest' in photo;
}

/**
 * Pictures at other hosts are links: a page of ours shows nothing that it does not have.
 *
 * @returns undefined for what is no address of the web: whoever writes pets could write `javascript:`
 */
export function findWebAddress(url: string): URL | undefined {
  if (!URL.canParse(url)) return undefined;
  const address = new URL(url);
  return address.protocol === 'https:' || address.protocol === 'http:' ? address : undefined;
}

/** What the people who keep the pet say of it; else whose picture it is. */
export function altOf({ alt }: OwnPicture, otherwise: string): string {
  return alt ?? otherwise;
}
