import type { ChangeFeed } from '../../../domain/events/ports.ts';
import { whileClaimed, type ClaimRenewal } from '../../../domain/held-claim.ts';
import { LISTING_FILES, type ListingFile } from './listing-files.ts';
import type { Listed, SitePet } from './listing-feeds.ts';
import type { SiteId } from './listing-site.ts';
import { getsFiles, markOf, type ListingChange, type ListingStore, type UploadState } from './ports.ts';
import type { UploadActivity } from './upload-activity.ts';

export interface UploadedFile {
  name: string;
  text: string;
}

interface ListingUploadsDeps extends ClaimRenewal {
  listings: ListingStore;
  changeFeed: Pick<ChangeFeed, 'lastVersion'>;
  readListed: (site: SiteId) => Promise<Listed>;
  textsOf: (site: SiteId, file: ListingFile, listed: Listed) => AsyncIterable<string>;
  newDigest: () => { update: (text: string) => void; read: () => string };
  sites: readonly SiteId[];
  /** @throws Error with what the server said */
  send: (site: SiteId, files: readonly UploadedFile[], signal: AbortSignal) => Promise<void>;
  activity: UploadActivity;
  /** Called when uploads to a site begin to fail, whichever process uploads. */
  onOutage: (site: SiteId, error: string) => void;
  /** Called with the first upload that succeeds again. */
  onReached: (site: SiteId, failedForMs: number) => void;
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
  /** Undefined if everything was uploaded. A change that a killed process should have uploaded is old. */
  firstChangeMs: number | undefined;
  lastChangeMs: number;
}

type Sent = Pick<Extract<ListingChange, { kind: 'sent' }>, 'atMs' | 'pets' | 'digest'>;

interface UploadEnd {
  site: SiteId;
  untilMs: number;
  startedAtMs: number;
  /** The state at the beginning. */
  upload: UploadState;
}

/** `waiting` while another process uploads. */
type Outcome = 'sent' | 'failed' | 'waiting';

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
    if (!getsFiles(listing)) return true;
    const { upload } = listing;
    const nowMs = clock();
    const mark = markOf(await changeFeed.lastVersion(), listing);
    const isQuiet = this.#isQuiet(site, mark, upload.sentMark, nowMs);
    const isDue = isQuiet || isHourly(upload, nowMs) || upload.requestedAtMs !== undefined;
    if (!isDue || nowMs < upload.nextAtMs) return true;
    const outcome = await this.#uploadClaimed(site, mark, signal);
    if (outcome === 'sent') this.#seen.set(site, { mark, firstChangeMs: undefined, lastChangeMs: nowMs });
    return outcome !== 'failed';
  }

  /** Whether something was changed since the last upload, and no more changes are expected soon. */
  #isQuiet(site: SiteId, mark: string, sentMark: string | undefined, nowMs: number): boolean {
    const seen = this.#seen.get(site) ?? { mark, firstChangeMs: 0, lastChangeMs: 0 };
    if (mark === sentMark) {
      seen.mark = mark;
      seen.firstChangeMs = undefined;
    } else if (seen.mark !== mark) {
      seen.mark = mark;
      seen.firstChangeMs ??= nowMs;
      seen.lastChangeMs = nowMs;
    }
    this.#seen.set(site, seen);
    if (seen.firstChangeMs === undefined) return false;
    return nowMs - seen.lastChangeMs >= QUIET_MS || nowMs - seen.firstChangeMs >= MAX_WAIT_MS;
  }

  async #uploadClaimed(site: SiteId, mark: string, signal: AbortSignal): Promise<Outcome> {
    const { listings, clock, claimMs } = this.#deps;
    const nowMs = clock();
    // Another process uploads, and may be killed before it has: the change stays unseen.
    if ((await listings.apply({ kind: 'claim', site, nowMs, claimMs })) === 0) return 'waiting';
    const renew = async (untilMs: number, nextMs: number) =>
      (await listings.apply({ kind: 'renew', site, untilMs, nextMs })) > 0;
    // Read after the claim: another process may have uploaded the same files.
    const { upload } = await listings.find(site);
    const claim = { untilMs: nowMs + claimMs, renew };
    const { result, untilMs } = await whileClaimed(this.#deps, claim, (lost) =>
      this.#upload(site, upload, AbortSignal.any([signal, lost])),
    );
    const end = { site, untilMs, startedAtMs: nowMs, upload };
    return typeof result === 'string' ? this.#fail(end, result, signal) : this.#succeed(end, { ...result, mark });
  }

  async #succeed({ upload, ...end }: UploadEnd, sent: Sent & { mark: string }): Promise<Outcome> {
    const { listings, activity, clock, onReached } = this.#deps;
    if ((await listings.apply({ kind: 'sent', ...end, ...sent })) === 0) return 'waiting';
    activity.count(end.site, 'sent');
    if (upload.failingSinceMs !== undefined) onReached(end.site, clock() - upload.failingSinceMs);
    return 'sent';
  }

  async #fail({ upload, ...end }: UploadEnd, error: string, signal: AbortSignal): Promise<Outcome> {
    const { listings, activity, clock, onOutage } = this.#deps;
    const delayMs = signal.aborted ? 0 : Math.min(HOUR_MS, FIRST_RETRY_MS * 2 ** Math.min(upload.attempts, 10));
    const failure = { attempts: upload.attempts + 1, error, atMs: clock(), nextAtMs: clock() + delayMs };
    if ((await listings.apply({ kind: 'failed', ...end, ...failure })) === 0) return 'waiting';
    activity.count(end.site, 'failed');
    if (upload.failingSinceMs === undefined) onOutage(end.site, error);
    return 'failed';
  }

  /** @returns what was sent, or what the server said */
  async #upload(site: SiteId, upload: UploadState, signal: AbortSignal): Promise<Sent | string> {
    const { sentDigest, sentAtMs, requestedAtMs } = upload;
    const { send, clock } = this.#deps;
    const nowMs = clock();
    try {
      const { files, pets, digest } = await this.#filesOf(site);
      const isSame = digest === sentDigest && !isHourly({ sentAtMs }, nowMs) && requestedAtMs === undefined;
      if (!isSame) await send(site, files, signal);
      return { atMs: isSame ? (sentAtMs ?? nowMs) : clock(), pets, digest };
    } catch (error) {
      return (error instanceof Error ? error.message : String(error)).slice(0, MAX_ERROR_LENGTH);
    }
  }

  async #filesOf(site: SiteId): Promise<{ files: readonly UploadedFile[]; pets: number; digest: string }> {
    const { readListed, textsOf, newDigest } = this.#deps;
    let pets = 0;
    const files: UploadedFile[] = [];
    // Hashed part by part, because the whole file of many pets would delay requests.
    const digest = newDigest();
    for (const name of LISTING_FILES[site]) {
      const listed = await readListed(site);
      const counted = counting(listed.pets, (count) => (pets += count));
      const texts: string[] = [];
      for await (const text of textsOf(site, name, { ...listed, pets: counted })) {
        digest.update(text);
        texts.push(text);
      }
      files.push({ name, text: texts.join('') });
    }
    return { files, pets, digest: digest.read() };
  }
}

/** Sites get their files at least every hour. */
function isHourly({ sentAtMs = 0 }: Pick<UploadState, 'sentAtMs'>, nowMs: number): boolean {
  return nowMs - sentAtMs >= HOUR_MS;
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
