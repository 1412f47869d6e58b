import type { CurrentUser } from '../../../api/web/bootstrap.ts';
import { plainClient } from '../../service/client.ts';
import { findCurrentUser } from '../../service/current-user.ts';

export interface Credentials {
  username: string;
  password: string;
}

/** The service has let somebody in, and the browser has not kept the cookie. */
export class CookieRefused extends Error {
  override readonly name = 'CookieRefused';
}

/** Begins a session. It is the cookie that is the session, which no script can read; the token in the answer is not kept. */
export async function logIn(credentials: Credentials): Promise<CurrentUser> {
  await plainClient.loginUserWithBody({ body: credentials });
  const currentUser = await findCurrentUser();
  if (currentUser === null) throw new CookieRefused('The session was not kept.');
  return currentUser;
}
