import type { LinkedLogin } from '../../domain/providers/linked-logins.ts';
import type { Provider } from '../../domain/providers/provider.ts';
import { absent, exactly, optionalTime, text, time, timeText } from './fields.ts';
import { recordText } from './record-text.ts';
import * as Type from './type.ts';

/* OpenID Connect providers, and the logins of accounts at them. */

const NAMED = {
  name: Type.String({ description: 'The name in the settings and in paths.' }),
  label: Type.String({ description: 'The name for users.' }),
};

export const LoginProvider = Type.Object(
  { ...NAMED, url: Type.String({ format: 'uri', description: 'Redirects to the page of the provider.' }) },
  exactly('LoginProvider'),
);
export type LoginProvider = Type.Static<typeof LoginProvider>;

export const LinkedProvider = Type.Object(
  {
    id: Type.String(),
    issuer: Type.String({ format: 'uri' }),
    provider: Type.Optional(Type.Object(NAMED, { title: 'ProviderName', additionalProperties: false })),
    name: Type.String({ description: 'How the provider names the person.' }),
    linkedAt: time('The time of linking.'),
    lastUsedAt: Type.Optional(time('The time of the last login.')),
  },
  exactly('LinkedProvider'),
);
export type LinkedProvider = Type.Static<typeof LinkedProvider>;

export const ProviderPage = Type.Object({ url: Type.String({ format: 'uri' }) }, exactly('ProviderPage'));
export type ProviderPage = Type.Static<typeof ProviderPage>;

export const SentProviderLink = Type.Object(
  {
    provider: text(32),
    /** A path of the web application to open afterwards. */
    returnTo: absent(text(2000)),
  },
  { title: 'SentProviderLink', message: 'must be a JSON object' },
);
export type SentProviderLink = Type.Static<typeof SentProviderLink>;

export function loginProviderText({ name, label }: Provider, url: string): string {
  return recordText<LoginProvider>({ name, label, url });
}

export function linkedProvidersText(logins: readonly LinkedLogin[]): string {
  return `[${logins.map(linkedProviderText).join()}]`;
}

function linkedProviderText(login: LinkedLogin): string {
  const { id, issuer, provider, name, createdAtMs, lastUsedAtMs } = login;
  return recordText<LinkedProvider>({
    id,
    issuer,
    provider: provider && { name: provider.name, label: provider.label },
    name,
    linkedAt: timeText(createdAtMs),
    lastUsedAt: optionalTime(lastUsedAtMs),
  });
}

export function providerPageText(url: string): string {
  return recordText<ProviderPage>({ url });
}
