import type { Tokens } from '../accounts/ports.ts';
import { Failure } from '../failure.ts';
import type { ProviderStore } from './ports.ts';
import type { Provider, ProviderLogin } from './provider.ts';
import type { ProviderSignIn } from './provider-sign-in.ts';

export interface LoginListDeps {
  providerSignIn: Pick<ProviderSignIn, 'providerOf'>;
  providerLogins: ProviderStore;
  tokens: Pick<Tokens, 'digest'>;
}

export interface LinkedLogin extends ProviderLogin {
  /** Derived from issuer and subject. */
  id: string;
  /** Undefined if the provider is no longer configured. */
  provider: Provider | undefined;
}

export async function listLogins(deps: LoginListDeps, userId: bigint): Promise<readonly LinkedLogin[]> {
  const { providerLogins, providerSignIn, tokens } = deps;
  return (await providerLogins.listOf(userId)).map((login) => ({
    ...login,
    id: tokens.digest(JSON.stringify([login.issuer, login.subject])),
    provider: providerSignIn.providerOf(login.issuer),
  }));
}

/** @throws Failure `not-found` */
export function getLogin(logins: readonly LinkedLogin[], id: string): LinkedLogin {
  const login = logins.find((candidate) => candidate.id === id);
  if (login === undefined) throw loginNotFound();
  return login;
}

export function loginNotFound(): Failure {
  return new Failure('not-found', 'Login at a provider not found');
}
