import type { ChangeFeed } from '../../../domain/events/ports.ts';
import type { Clock } from '../../../domain/ports.ts';
import type { WebhookStore } from './ports.ts';

interface WebhookLagDeps {
  webhooks: Pick<WebhookStore, 'list'>;
  changeFeed: ChangeFeed;
  clock: Clock;
}

/** How far active webhooks are behind the changes. */
export class WebhookLag {
  readonly #deps: WebhookLagDeps;

  constructor(deps: WebhookLagDeps) {
    this.#deps = deps;
  }

  /** The age of the oldest change that was not sent to one of them yet, not even once; 0 if there is none. */
  async readMs(): Promise<number> {
    const { webhooks, changeFeed, clock } = this.#deps;
    const versions = (await webhooks.list()).filter(({ state }) => state === 'active').map((each) => each.lastVersion);
    if (versions.length === 0) return 0;
    const least = versions.reduce((one, other) => (other < one ? other : one));
    const [oldest] = await changeFeed.list(least, 1);
    return oldest === undefined ? 0 : Math.max(0, clock() - oldest.atMs);
  }
}
