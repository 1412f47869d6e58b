import type { SetupChoices } from '../../domain/setup/setup.ts';
import type { Locales } from './languages.ts';
import type { Site } from './site.ts';
import { mayRole, type AccessMode, type Action, type Role } from '../../domain/access.ts';

export { mayRole };
export type { Site };
export type { AccessMode, Action, SetupChoices };

/**
 * The element of the page that holds the bootstrap as JSON. A block of data: nothing runs, and no policy forbids it.
 */
export const BOOTSTRAP_ID = 'bootstrap';

export interface CurrentUser {
  username: string;
  role: Role;
  /** If the session must set up or prove a second factor before it can do anything else. */
  needsSecondFactor?: true;
}

/** The response to a request of the API that the page would send first. */
export interface FirstResponse {
  /** The body as the service would send it, with exact 64-bit integers. */
  text: string;
  etag?: string;
  /** 200 if it is absent. */
  status?: 404;
}

/** The data in a page of the web application, for use before its first request. */
export interface Bootstrap {
  version: string;
  /** The path of the service, without a slash at the end, such as `/zoo`; empty at the root of a host. */
  basePath: string;
  access: AccessMode;
  /** Whether anonymous users may sign up. */
  signUp: boolean;
  /** The service sends e-mail. */
  mail?: boolean;
  /** The service has playgrounds. */
  playgrounds?: boolean;
  /** Forms of visitors that this client cannot use for now, because of limits. */
  closedForms?: readonly string[];
  /** In characters. */
  minPasswordLength: number;
  maxPhotoBytes: number;
  /** Width times height of a photo. */
  maxPhotoPixels: number;
  /** Null for an anonymous user. */
  currentUser: CurrentUser | null;
  /**
   * The last change that the responses include, in digits, from which live changes continue. Only for users who may
   * change pets.
   */
  position?: string;
  site: Site;
  /** Absent in development. */
  locales?: Locales;
  /** Only on the setup page, before the first administrator: what can be chosen. */
  setup?: SetupChoices;
  /** By request path without the base path, such as `/v2/pet/1`. */
  responses: Readonly<Record<string, FirstResponse>>;
}
