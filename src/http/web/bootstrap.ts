import { permissionOf, type Access, type Actor } from '../../domain/access.ts';
import type { Bootstrap, CurrentUser, Site } from '../../api/web/bootstrap.ts';
import type { Locales } from '../../api/web/languages.ts';
import type { HttpSettings } from '../pipeline/settings.ts';

export interface NewAccounts {
  /** Whether anonymous users may sign up. */
  signUp: boolean;
  /** Whether the service sends e-mail. */
  mail?: boolean;
  /** In characters. */
  minPasswordLength: number;
}

interface BootstrapParts {
  settings: Pick<HttpSettings, 'access' | 'maxPhotoBytes' | 'maxPhotoPixels'>;
  basePath: string;
  newAccounts: NewAccounts;
  version: string;
  hasPlaygrounds: boolean;
  site: Site;
  locales: Locales;
}

interface PageState extends Pick<Bootstrap, 'currentUser' | 'responses'> {
  position: bigint | undefined;
  closedForms: readonly string[];
}

/** The user who is logged in on a page: the name and role, neither id nor session. */
export function currentUserOf(actor: Actor, access: Access): CurrentUser | null {
  if (actor.kind !== 'signed-in') return null;
  const { username, role } = actor;
  // Everybody may use the own account, except in a session without the second factor that the role requires.
  return { username, role, ...(!permissionOf(access)(actor, 'use own account') && { needsSecondFactor: true }) };
}

export function bootstrapOf(
  { settings, basePath, newAccounts, version, hasPlaygrounds, site, locales }: BootstrapParts,
  { closedForms, currentUser, responses, position }: PageState,
): Bootstrap {
  const { access, maxPhotoBytes, maxPhotoPixels } = settings;
  return {
    version,
    basePath,
    access,
    ...newAccounts,
    ...(hasPlaygrounds && { playgrounds: true }),
    ...(closedForms.length > 0 && { closedForms }),
    maxPhotoBytes,
    maxPhotoPixels,
    currentUser,
    site,
    locales,
    ...(position !== undefined && { position: String(position) }),
    responses,
  };
}
