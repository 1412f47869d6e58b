import type { Actor } from '../../domain/access.ts';
import type { Bootstrap } from '../../api/web/bootstrap.ts';
import type { HttpSettings } from '../settings.ts';

/** What there is to know before one makes an account. */
export interface NewAccounts {
  /** May strangers make themselves one? */
  signUp: boolean;
  /** In characters. */
  minPasswordLength: number;
}

export interface BootstrapParts {
  settings: Pick<HttpSettings, 'access' | 'maxPhotoBytes' | 'maxPhotoPixels'>;
  newAccounts: NewAccounts;
  version: string;
}

/** What a page knows from the start. Of who looks at it there is no more than they see on it: no id, no session. */
export function bootstrapOf(
  { settings, newAccounts, version }: BootstrapParts,
  actor: Actor,
  { answers, position }: { answers: Bootstrap['answers']; position: bigint | undefined },
): Bootstrap {
  const { access, maxPhotoBytes, maxPhotoPixels } = settings;
  const viewer = actor.kind === 'signed-in' ? { username: actor.username, role: actor.role } : null;
  return {
    version,
    access,
    ...newAccounts,
    maxPhotoBytes,
    maxPhotoPixels,
    viewer,
    ...(position !== undefined && { position: String(position) }),
    answers,
  };
}
