import { mayRole, type AccessMode, type Role } from '../../domain/access.ts';

export { mayRole };

/** The element of the page that holds the bootstrap as JSON. A block of data: nothing runs, and no policy forbids it. */
export const BOOTSTRAP_ID = 'bootstrap';

/** Who looks at the page. */
export interface Viewer {
  username: string;
  role: Role;
}

/** An answer of the interface that the page would ask for first. */
export interface FirstAnswer {
  /** The body, as the service would send it: 64-bit integers digit for digit. */
  text: string;
  etag?: string;
}

/** What a page of the web application knows before it has asked for anything. */
export interface Bootstrap {
  version: string;
  access: AccessMode;
  /** May strangers make themselves an account? */
  signUp: boolean;
  /** Of new passwords, in characters. */
  minPasswordLength: number;
  /** Of one picture. */
  maxPhotoBytes: number;
  /** Of one picture: its width times its height. */
  maxPhotoPixels: number;
  /** Null for somebody unknown. */
  viewer: Viewer | null;
  /** The last change that the answers know of, in digits. Only for those who may change pets: their page goes on from there. */
  position?: string;
  /** By what the client would ask for, from `/v2` on: `/v2/pet/1`. */
  answers: Readonly<Record<string, FirstAnswer>>;
}
