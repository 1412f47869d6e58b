import type { AccessMode, Operator } from '../access.ts';
import type { Administration } from '../accounts/administration.ts';
import { stampOf } from '../audit.ts';
import { Failure } from '../failure.ts';
import { organisationIn, organisationOf } from '../organisation/organisation.ts';
import type { SiteRecordStore } from '../organisation/ports.ts';
import type { Clock } from '../ports.ts';

/** The choices of the operator. Undefined leaves a setting as it is. */
export interface SetupSettings {
  access: AccessMode | undefined;
  samples: boolean | undefined;
  /** A folder. */
  backupTo: string | undefined;
  /** The country of the organisation. */
  country: string | undefined;
}

export interface SetupRequest {
  token: string;
  username: string;
  password: string;
  settings: SetupSettings;
}

/** Which settings the operator can choose. The others are set by a flag or a variable. */
export interface SetupChoices {
  /** The current mode is the first. */
  access: readonly AccessMode[];
  samples: boolean;
  backupTo: boolean;
  country: boolean;
  /** Whether the service already sends e-mail. */
  mail: boolean;
}

export interface SetupResult {
  /** The URL of the service, which starts now. Empty if it is the origin of the setup page. */
  url: string;
  /** Settings that were chosen, but not stored: by the name of the flag. */
  unsaved: Readonly<Record<string, string>>;
}

interface SetupDeps {
  /** Compares in constant time. */
  isToken: (text: string) => boolean;
  administration: Pick<Administration, 'createFirstAdministrator'>;
  siteRecords: SiteRecordStore;
  operator: Operator;
  clock: Clock;
  /** Checks the choices without changing settings. @throws Failure `invalid-input` */
  check(settings: SetupSettings): Promise<void>;
  /** Stores the choices. @returns those that were not stored */
  store(settings: SetupSettings): Promise<Readonly<Record<string, string>>>;
  next: Pick<SetupResult, 'url'>;
  onDone: (settings: SetupSettings) => void;
}

const MAX_WRONG_TOKENS = 10;
const WINDOW_MS = 60_000;

/** The first start in secured access: whoever has the token from the log creates the first administrator, once. */
export class Setup {
  readonly #deps: SetupDeps;
  #state: 'pending' | 'busy' | 'done' = 'pending';
  #wrong = 0;
  #windowEndMs = -Infinity;

  constructor(deps: SetupDeps) {
    this.#deps = deps;
  }

  get isPending(): boolean {
    return this.#state === 'pending';
  }

  /**
   * @throws Failure `forbidden` for a wrong token, `too-many-requests` after several, `conflict` if it is done or there
   *   is an administrator, `invalid-input`
   */
  async complete({ token, username, password, settings }: SetupRequest): Promise<SetupResult> {
    const { administration, operator, next, onDone } = this.#deps;
    this.#requireToken(token);
    if (this.#state === 'busy') throw new Failure('conflict', 'Another request is completing the setup.');
    if (this.#state === 'done') throw new Failure('conflict', 'The setup is complete.');
    this.#state = 'busy';
    try {
      await this.#deps.check(settings);
      await administration.createFirstAdministrator(operator, { username, password });
      if (settings.country !== undefined) await this.#storeCountry(settings.country);
      this.#state = 'done';
    } finally {
      if (this.#state === 'busy') this.#state = 'pending';
    }
    const unsaved = await this.#deps.store(settings);
    onDone(settings);
    return { ...next, unsaved };
  }

  /** Keeps what the organisation already is, such as that of a service with open access before. */
  async #storeCountry(country: string): Promise<void> {
    const { siteRecords, operator, clock } = this.#deps;
    const organisation = organisationOf({ ...organisationIn(await siteRecords.find('organisation')), country });
    await siteRecords.apply({
      kind: 'put',
      record: 'organisation',
      text: JSON.stringify(organisation),
      precondition: undefined,
      action: 'organisation.changed',
      stamp: stampOf(operator, clock()),
    });
  }

  /**
   * The right token is never throttled: nobody can guess it, so a flood of wrong ones must not lock out the operator.
   */
  #requireToken(token: string): void {
    if (this.#deps.isToken(token)) return;
    const nowMs = this.#deps.clock();
    if (nowMs >= this.#windowEndMs) {
      this.#windowEndMs = nowMs + WINDOW_MS;
      this.#wrong = 0;
    }
    this.#wrong++;
    if (this.#wrong > MAX_WRONG_TOKENS) {
      const retryAfterSeconds = Math.ceil((this.#windowEndMs - nowMs) / 1000);
      const limit = { name: 'setup-tokens', quota: MAX_WRONG_TOKENS, windowSeconds: WINDOW_MS / 1000 };
      throw new Failure('too-many-requests', 'Too many wrong setup tokens.', { retryAfterSeconds, limit });
    }
    throw new Failure('forbidden', 'The setup token is wrong. Use the URL that the service printed at its last start.');
  }
}
