/** Photos that an import uploads, instead of storing their addresses. */
export interface PhotoSource {
  /** Whether an entry of `photoUrls` names a photo of this source. */
  has: (entry: string) => boolean;
  /** The problem with an entry before it is read, as a predicate of the column; undefined if there is none. */
  problemOf: (entry: string) => string | undefined;
  /** @throws PhotoUnusable */
  read: (entry: string) => Promise<Uint8Array>;
}

/** A photo cannot be read. The message is a predicate of the photo. */
export class PhotoUnusable extends Error {
  override readonly name = 'PhotoUnusable';
}
