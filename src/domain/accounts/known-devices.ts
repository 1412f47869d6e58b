import type { MailBell } from '../mail/mail-bell.ts';
import { networkOf } from './attempt-throttle.ts';
import type { SessionStore, Tokens } from './ports.ts';
import type { Client } from './session.ts';
import { counterOf, type Counter, type Limit, type Throttle } from './throttle.ts';

const DAY_MS = 24 * 3_600_000;

/** How long a device is known after a login. */
const KNOWN: Limit = { free: 0, firstWaitMs: 0, maxWaitMs: 0, forgetAfterMs: 90 * DAY_MS };

/** A known device is stored again only after this time, so that frequent logins do not write each time. */
const RENEWAL_MS = DAY_MS;

type Device = Pick<Client, 'address' | 'userAgent'>;

interface KnownDevicesDeps {
  throttle: Throttle;
  sessions: Pick<SessionStore, 'listOf'>;
  tokens: Tokens;
  bell: Pick<MailBell, 'isOn'>;
}

/** The devices from which accounts have logged in: a network and a browser. Without e-mail, none is new. */
export class KnownDevices {
  readonly #deps: KnownDevicesDeps;

  constructor(deps: KnownDevicesDeps) {
    this.#deps = deps;
  }

  /** Whether the account has not logged in from this device before, and has no session there. */
  async isNew(accountId: bigint, device: Device): Promise<boolean> {
    const { throttle, sessions, bell } = this.#deps;
    if (!bell.isOn) return false;
    if ((await throttle.sinceLastMs(this.#counter(accountId, device))) !== undefined) return false;
    // Sessions of the time before devices were stored.
    const label = labelOf(device);
    return !(await sessions.listOf(accountId)).some(({ client }) => labelOf(client) === label);
  }

  async remember(accountId: bigint, device: Device): Promise<void> {
    const { throttle, bell } = this.#deps;
    if (!bell.isOn) return;
    const counter = this.#counter(accountId, device);
    const sinceMs = await throttle.sinceLastMs(counter);
    if (sinceMs === undefined || sinceMs > RENEWAL_MS) await throttle.countFailure([counter]);
  }

  #counter(accountId: bigint, device: Device): Counter {
    return counterOf(this.#deps.tokens, KNOWN, 'device', `${accountId}`, labelOf(device));
  }
}

/** Leaves out the numbers of a browser, which change with each update. */
function labelOf({ address, userAgent = '' }: Device): string {
  return `${networkOf(address)} ${userAgent.replaceAll(/[\d._]+/g, '')}`;
}
