import type { Actor, Role } from '../../domain/access.ts';
import type { Bootstrap, Site } from '../../api/web/bootstrap.ts';
import { basePathOf } from '../pipeline/base-path.ts';
import type { HttpSettings } from '../pipeline/settings.ts';

/** The rules for new accounts. */
export interface NewAccounts {
  /** Whether anonymous users may sign up. */
  signUp: boolean;
  /** Whether the service sends e-mail. */
  mail?: boolean;
  /** In characters. */
  minPasswordLength: number;
}

interface BootstrapParts {
  settings: Pick<HttpSettings, 'access' | 'publicUrl' | 'maxPhotoBytes' | 'maxPhotoPixels'>;
  newAccounts: NewAccounts;
  version: string;
  site: Site;
}

/** The role of a user who is logged in on a page. */
export function roleOf(actor: Actor): Role | undefined {
  return actor.kind === 'signed-in' ? actor.role : undefined;
}

/** The bootstrap data of a page. It contains only the name and role of the current user, neither id nor session. */
export function bootstrapOf(
  { settings, newAccounts, version, site }: BootstrapParts,
  actor: Actor,
  { responses, position }: { responses: Bootstrap['responses']; position: bigint | undefined },
): Bootstrap {
  const { access, publicUrl, maxPhotoBytes, maxPhotoPixels } = settings;
  const currentUser = actor.kind === 'signed-in' ? { username: actor.username, role: actor.role } : null;
  return {
    version,
    basePath: basePathOf(publicUrl),
    access,
    ...newAccounts,
    maxPhotoBytes,
    maxPhotoPixels,
    currentUser,
    site,
    ...(position !== undefined && { position: String(position) }),
    responses,
  };
}
