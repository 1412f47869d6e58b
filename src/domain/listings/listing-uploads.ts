import type { ChangeFeed } from '../events/ports.ts';
import type { Clock } from '../ports.ts';
import { LISTING_FILES, type ListingFile } from './listing-files.ts';
import type { Listed, SitePet } from './listing-feeds.ts';
import type { SiteId } from './listing-site.ts';
import type { Listing, ListingStore } from './ports.ts';

export interface UploadedFile {
  name: string;
  text: string;
}

interface ListingUploadsDeps {
  listings: ListingStore;
  changeFeed: Pick<ChangeFeed, 'lastVersion'>;
  readListed: (site: SiteId) => Promise<Listed>;
  textsOf: (site: SiteId, file: ListingFile, listed: Listed) => AsyncIterable<string>;
  digestOf: (text: string) => string;
  sites: readonly SiteId[];
  /** @throws Error with what the server said */
  send: (site: SiteId, files: readonly UploadedFile[], signal: AbortSignal) => Promise<void>;
  clock: Clock;
  /** How long another process leaves the upload to a site alone: longer than an attempt takes. */
  claimMs: number;
  onFailed: (site: SiteId, error: string) => void;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Changes that follow each other are uploaded together: after the last one, or this time after the first. */
const QUIET_MS = 10_000;
const MAX_WAIT_MS = MINUTE_MS;

const FIRST_RETRY_MS = MINUTE_MS;
const MAX_ERROR_LENGTH = 500;

/** The state of the data at the last look. */
interface Seen {
  mark: string;
  /** Undefined if everything was uploaded. */
  firstChangeMs: number | undefined;
  lastChangeMs: number;
}

/** Uploads the files of sites after changes and every hour. Each process looks for changes, and one of them uploads. */
export class ListingUploads {
  readonly #deps: ListingUploadsDeps;
  readonly #seen = new Map<SiteId, Seen>();

  constructor(deps: ListingUploadsDeps) {
    this.#deps = deps;
  }

  /** Uploads what is due. @returns whether all uploads succeeded */
  async run(signal: AbortSignal): Promise<boolean> {
    let isSuccess = true;
    for (const site of this.#deps.sites) if (!signal.aborted && !(await this.#runSite(site, signal))) isSuccess = false;
    return isSuccess;
  }

  async #runSite(site: SiteId, signal: AbortSignal): Promise<boolean> {
    const { listings, changeFeed, clock } = this.#deps;
    const listing = await listings.find(site);
    const { upload } = listing;
    // A site that never got anything is not emptied.
    if (!listing.isOn && upload.sentDigest === undefined) return true;
    const nowMs = clock();
    const mark = `${await changeFeed.lastVersion()} ${listing.changes}`;
    const isHourly = nowMs - (upload.sentAtMs ?? 0) >= HOUR_MS;
    if (!this.#isQuiet(site, mark, nowMs) && !isHourly) return true;
    if (nowMs < upload.nextAtMs) return true;
    const isDone = await this.#uploadClaimed(listing, isHourly, signal);
    if (isDone) this.#seen.set(site, { mark, firstChangeMs: undefined, lastChangeMs: nowMs });
    return isDone;
  }

  /** Whether something has changed, and no more changes are expected soon. */
  #isQuiet(site: SiteId, mark: string, nowMs: number): boolean {
    // After a start, nothing is known: the digest shows whether something has changed.
    const seen = this.#seen.get(site) ?? { mark, firstChangeMs: 0, lastChangeMs: 0 };
    if (seen.mark !== mark) {
      seen.mark = mark;
      seen.firstChangeMs ??= nowMs;
      seen.lastChangeMs = nowMs;
    }
    this.#seen.set(site, seen);
    if (seen.firstChangeMs === undefined) return false;
    return nowMs - seen.lastChangeMs >= QUIET_MS || nowMs - seen.firstChangeMs >= MAX_WAIT_MS;
  }

  async #uploadClaimed({ site, upload }: Listing, isHourly: boolean, signal: AbortSignal): Promise<boolean> {
    const { listings, digestOf, send, clock, claimMs, onFailed } = this.#deps;
    const nowMs = clock();
    // Another process uploads, and records the result.
    if ((await listings.apply({ kind: 'claim', site, nowMs, claimMs })) === 0) return true;
    const report = { site, untilMs: nowMs + claimMs } as const;
    try {
      const { files, pets } = await this.#filesOf(site);
      const digest = digestOf(JSON.stringify(files));
      const isSame = digest === upload.sentDigest && !isHourly;
      if (!isSame) await send(site, files, signal);
      const atMs = isSame ? (upload.sentAtMs ?? nowMs) : clock();
      await listings.apply({ ...report, kind: 'sent', atMs, pets, digest });
      return true;
    } catch (error) {
      const message = (error instanceof Error ? error.message : String(error)).slice(0, MAX_ERROR_LENGTH);
      const attempts = upload.attempts + 1;
      const delayMs = signal.aborted ? 0 : Math.min(HOUR_MS, FIRST_RETRY_MS * 2 ** Math.min(upload.attempts, 10));
      const failure = { attempts, error: message, atMs: clock(), nextAtMs: clock() + delayMs };
      await listings.apply({ ...report, ...failure, kind: 'failed' });
      onFailed(site, message);
      return false;
    }
  }

  async #filesOf(site: SiteId): Promise<{ files: readonly UploadedFile[]; pets: number }> {
    const { readListed, textsOf } = this.#deps;
    let pets = 0;
    const files: UploadedFile[] = [];
    for (const name of LISTING_FILES[site]) {
      const listed = await readListed(site);
      const counted = counting(listed.pets, (count) => (pets += count));
      const texts = await Array.fromAsync(textsOf(site, name, { ...listed, pets: counted }));
      files.push({ name, text: texts.join('') });
    }
    return { files, pets };
  }
}

/** `import.cfg` reads no pets, so only the table counts them. */
async function* counting(
  pages: AsyncIterable<readonly SitePet[]>,
  onPage: (count: number) => void,
): AsyncGenerator<readonly SitePet[], void, void> {
  for await (const page of pages) {
    onPage(page.length);
    yield page;
  }
}
