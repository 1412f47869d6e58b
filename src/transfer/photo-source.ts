/** Photos that an import uploads, instead of storing their addresses. */
export interface PhotoSource {
  /** Whether an entry of `photoUrls` names a photo of this source. */
  has: (entry: string) => boolean;
  /** The problem with an entry before it is read; undefined if there is none. */
  problemOf: (entry: string) => PhotoUnusable | undefined;
  /** @throws PhotoUnusable */
  read: (entry: string) => Promise<Uint8Array<ArrayBuffer>>;
}

export type PhotoFault =
  | 'missing'
  | 'encrypted'
  | 'too-large'
  | 'damaged'
  /** It cannot be downloaded. */
  | 'download'
  /** The service refused it, because it is not a photo. */
  | 'unsupported'
  /** The service refused it as a photo of an iPhone. */
  | 'heic'
  /** The service refused it for another reason. */
  | 'refused'
  /** The import ended before the upload. */
  | 'not-sent';

/** A photo cannot be used. The message is a predicate of the photo. */
export class PhotoUnusable extends Error {
  override readonly name = 'PhotoUnusable';
  readonly fault: PhotoFault;

  constructor(fault: PhotoFault, message: string) {
    super(message);
    this.fault = fault;
  }
}
