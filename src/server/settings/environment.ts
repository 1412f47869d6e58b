import { isIP } from 'node:net';
import { isPublicHost } from '../../domain/mail/mail-address.ts';
import type { SettingsEnvironment } from '../../domain/settings/ports.ts';
import type { EffectiveSetting } from '../../domain/system.ts';
import { isPublic } from '../../services/networks/addresses.ts';
import type { StorePlaces } from '../configuration/config.ts';
import { StoredSecrets } from './secret-key.ts';

/** The conditions of this process. */
export class ProcessEnvironment implements SettingsEnvironment {
  readonly secrets: StoredSecrets;
  readonly isPrivateAllowed: boolean;
  readonly #settings: readonly EffectiveSetting[];

  constructor(places: StorePlaces) {
    this.secrets = new StoredSecrets(places);
    this.isPrivateAllowed = places.adminPrivateAddresses ?? false;
    this.#settings = places.settings ?? [];
  }

  mayConnectTo(host: string): boolean {
    return this.isPrivateAllowed || (isIP(host) === 0 ? isPublicHost(host) : isPublic(host));
  }

  fixed(names: readonly string[]): readonly EffectiveSetting[] {
    return this.#settings.filter(({ name, source }) => source !== 'default' && names.includes(name));
  }
}
