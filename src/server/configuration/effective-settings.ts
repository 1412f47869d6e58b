import { providerNames } from './provider-settings.ts';
import { defaultOf, SETTINGS, type GivenSetting, type SettingName, type SettingSource } from './settings.ts';

/** A setting as plain data for operators, without secrets. */
export interface EffectiveSetting {
  name: SettingName;
  value: string;
  source: SettingSource;
  /** For display: `--port`, `MENAGERIE_PORT`, `/srv/pets/menagerie.toml, line 3`; empty for a default. */
  origin: string;
}

const MASK = '***';
const SECRET_PARAMETER = /password|passphrase|secret|token|key|credential/i;

/** All settings, in the order of the help. */
export function effectiveSettings(given: ReadonlyMap<SettingName, GivenSetting>): readonly EffectiveSetting[] {
  return SETTINGS.map(({ name }) => {
    const { text, source, origin } = given.get(name) ?? { text: defaultOf(name), source: 'default', origin: '' };
    return { name, value: displayed(name, text), source, origin };
  });
}

function displayed(name: SettingName, text: string): string {
  if (name === 'providers') return namesOf(text);
  return name === 'secret-key' && text !== '' ? MASK : maskSecrets(text);
}

/** The names of providers: their tables may have secrets. */
function namesOf(text: string): string {
  return text === '' ? '' : providerNames(text).join(', ');
}

/** Masks the password and the secret parameters of a URL. Other settings contain no secrets. */
function maskSecrets(text: string): string {
  const [, start, login, rest = '', query] =
    /^([a-z][a-z0-9+.-]*:\/\/)(?:(.*)@)?([^?]*)(?:\?(.*))?$/is.exec(text) ?? [];
  if (start === undefined) return text;
  const user = login?.includes(':') ? `${login.slice(0, login.indexOf(':'))}:${MASK}` : login;
  const parameters = query?.split('&').map(maskParameter).join('&');
  return `${start}${user === undefined ? '' : `${user}@`}${rest}${parameters === undefined ? '' : `?${parameters}`}`;
}

function maskParameter(parameter: string): string {
  const name = parameter.split('=', 1)[0] ?? '';
  // Encoded names count as well.
  return SECRET_PARAMETER.test(new URLSearchParams(parameter).keys().next().value ?? '')
    ? `${name}=${MASK}`
    : parameter;
}
