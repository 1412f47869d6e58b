import { done } from '../../../domain/audit.ts';
import { Failure } from '../../../domain/failure.ts';
import type { SiteId } from '../domain/listing-site.ts';
import {
  MAX_UNLISTED,
  newListing,
  REPORTED_AFTER_MS,
  type ListedSince,
  type Listing,
  type ListingChange,
  type ListingStore,
  type UploadState,
} from '../domain/ports.ts';
import type { Awaitable } from '../../../domain/ports.ts';
import { rowOf } from '../../../storage/rows/row.ts';
import { statement } from '../../../storage/rows/statements.ts';
import {
  ask,
  send,
  type CommonTransaction,
  type Reads,
  type StoreDeps,
  type Steps,
} from '../../../storage/rows/steps.ts';
import { requireCredential } from '../../../storage/rows/credential-check.ts';
import { queueMailToAdministrators } from '../../../storage/rows/mail/mail-rows.ts';

type Change<K extends ListingChange['kind']> = Extract<ListingChange, { kind: K }>;

const LISTING = rowOf<Omit<Listing, 'upload'> & UploadState>({
  site: 'text',
  isOn: 'flag',
  changes: 'number',
  keyDigest: 'text?',
  keyCreatedAtMs: 'number?',
  sentAtMs: 'number?',
  sentPets: 'number',
  sentDigest: 'text?',
  sentMark: 'text?',
  requestedAtMs: 'number?',
  claimedUntilMs: 'number',
  attempts: 'number',
  failingSinceMs: 'number?',
  nextAtMs: 'number',
  error: 'text?',
  failedAtMs: 'number?',
});

const find = statement((sql) => `select ${LISTING.columns} from listing where ${sql.isKey('site')}`);
const unlisted = statement(`select pet_id from unlisted_pet where site = $1 order by pet_id limit ${MAX_UNLISTED}`);
const countUnlisted = statement('select count(*) from unlisted_pet where site = $1');
const switchSite = statement(
  `insert into listing (site, is_on, changes) values ($1, $2, 1)
   on conflict (site) do update set is_on = excluded.is_on, changes = listing.changes + 1, attempts = 0, next_at_ms = 0`,
);
const setKey = statement(
  `insert into listing (site, key_digest, key_created_at_ms) values ($1, $2, $3)
   on conflict (site) do update set key_digest = excluded.key_digest, key_created_at_ms = excluded.key_created_at_ms`,
);
const keepOut = statement(
  'insert into unlisted_pet (site, pet_id) values ($1, $2) on conflict (site, pet_id) do nothing',
);
const letIn = statement('delete from unlisted_pet where site = $1 and pet_id = $2');
const listed = statement('select pet_id, since_ms from listed_pet where site = $1');
const addListed = statement(
  (sql) => `insert into listed_pet (site, pet_id, since_ms)
   select $1, value, $3::int8 from ${sql.each('$2', 'int8')} where true on conflict (site, pet_id) do nothing`,
);
const removeListed = statement(
  (sql) => `delete from listed_pet where site = $1 and ${sql.isOneOf('pet_id', '$2', 'int8')}`,
);
const countChange = statement(
  `insert into listing (site, changes) values ($1, 1) on conflict (site) do update set changes = listing.changes + 1`,
);
const claim = statement(
  `update listing set claimed_until_ms = $2::int8 + $3::int8
   where site = $1 and next_at_ms <= $2::int8
     and (claimed_until_ms <= $2::int8 or claimed_until_ms > $2::int8 + 2 * $3::int8) returning site`,
);
const renew = statement(
  'update listing set claimed_until_ms = $3 where site = $1 and claimed_until_ms = $2 returning site',
);
const request = statement('update listing set requested_at_ms = $2, next_at_ms = 0 where site = $1 returning site');
const END_CLAIM = `claimed_until_ms = 0,
  requested_at_ms = case when requested_at_ms > $3 then requested_at_ms end`;
const recordSent = statement(
  `update listing set ${END_CLAIM}, sent_at_ms = $4, sent_pets = $5, sent_digest = $6, sent_mark = $7, attempts = 0,
     next_at_ms = 0, error = null, failing_since_ms = null, reported_at_ms = null
   where site = $1 and claimed_until_ms = $2 returning site`,
);
// A request during the upload is for the next one.
const recordFailure = statement(
  `update listing set ${END_CLAIM}, failed_at_ms = $4, error = $5, attempts = $6,
     next_at_ms = case when requested_at_ms > $3 then 0 else $7::int8 end,
     failing_since_ms = coalesce(failing_since_ms, $4)
   where site = $1 and claimed_until_ms = $2 returning site`,
);
const report = statement(
  `update listing set reported_at_ms = $2 where site = $1 and reported_at_ms is null and failing_since_ms <= $3
   returning failing_since_ms`,
);

export class SqlListingStore implements ListingStore {
  readonly #find: (site: SiteId) => Awaitable<Listing | undefined>;
  readonly #reads: Reads;
  readonly #apply;

  constructor({ reads, apply }: StoreDeps<ListingChange, number>) {
    this.#find = reads.finder(find, toListing);
    this.#reads = reads;
    this.#apply = apply;
  }

  async find(site: SiteId): Promise<Listing> {
    return (await this.#find(site)) ?? newListing(site);
  }

  async listUnlisted(site: SiteId): Promise<ReadonlySet<bigint>> {
    return new Set((await this.#reads.ask<[petId: bigint]>(unlisted, site)).map(([petId]) => petId));
  }

  async listListed(site: SiteId): Promise<ListedSince> {
    const rows = await this.#reads.ask<[petId: bigint, sinceMs: bigint]>(listed, site);
    return new Map(rows.map(([petId, sinceMs]) => [petId, Number(sinceMs)]));
  }

  apply(change: ListingChange): Promise<number> {
    return this.#apply(change);
  }
}

export function* applyListingChange(change: ListingChange, transaction: CommonTransaction): Steps<number> {
  if ('stamp' in change) yield* requireCredential(change.stamp);
  const { site } = change;
  switch (change.kind) {
    case 'switch':
      yield* send(switchSite, site, change.isOn ? 1 : 0);
      transaction.audit(done(change.stamp, 'listing.changed', null, { site, on: change.isOn ? 'yes' : 'no' }));
      return 1;
    case 'set-key':
      return yield* replaceKey(change, transaction);
    case 'set-listed':
      return yield* setListed(change, transaction);
    case 'claim':
      return (yield* ask(claim, site, change.nowMs, change.claimMs)).length;
    case 'renew':
      return (yield* ask(renew, site, change.untilMs, change.nextMs)).length;
    case 'list':
      if (change.added.length > 0) yield* send(addListed, site, change.added, change.atMs);
      if (change.removed.length > 0) yield* send(removeListed, site, change.removed);
      return change.added.length + change.removed.length;
    case 'request':
      transaction.audit(done(change.stamp, 'listing.upload-requested', null, { site }));
      return (yield* ask(request, site, change.stamp.atMs)).length;
    case 'sent': {
      const { untilMs, startedAtMs, atMs, pets, digest, mark } = change;
      return (yield* ask(recordSent, site, untilMs, startedAtMs, atMs, pets, digest, mark)).length;
    }
    case 'failed':
      break;
  }
  return yield* recordFailed(change);
}

function* recordFailed(change: Change<'failed'>): Steps<number> {
  const { site, untilMs, startedAtMs, atMs, error, attempts, nextAtMs } = change;
  const rows = yield* ask(recordFailure, site, untilMs, startedAtMs, atMs, error, attempts, nextAtMs);
  if (rows.length === 0) return 0;
  const [reported] = yield* ask<[sinceMs: bigint | number]>(report, site, atMs, atMs - REPORTED_AFTER_MS);
  if (reported === undefined) return 1;
  const details = { site, error, atMs: String(reported[0]) };
  yield* queueMailToAdministrators({ kind: 'listing-unreached', details }, atMs);
  return 1;
}

function* replaceKey({ site, digest, stamp }: Change<'set-key'>, { audit }: CommonTransaction): Steps<number> {
  yield* send(setKey, site, digest, digest === null ? null : stamp.atMs);
  audit(done(stamp, digest === null ? 'listing.key-revoked' : 'listing.key-created', null, { site }));
  return 1;
}

function* setListed(
  { site, petId, isListed, stamp }: Change<'set-listed'>,
  { audit }: CommonTransaction,
): Steps<number> {
  const [row] = yield* ask<[count: bigint]>(countUnlisted, site);
  if (!isListed && Number(row?.[0]) >= MAX_UNLISTED)
    throw new Failure('conflict', `There are already ${MAX_UNLISTED} pets that this site does not get.`);
  yield* send(isListed ? letIn : keepOut, site, petId);
  yield* send(countChange, site);
  const subject = { kind: 'pet', id: petId.toString(), name: null } as const;
  audit(done(stamp, 'listing.changed', subject, { site, listed: isListed ? 'yes' : 'no' }));
  return 1;
}

function toListing(row: readonly unknown[]): Listing {
  const { site, isOn, changes, keyDigest, keyCreatedAtMs, ...upload } = LISTING.read(row);
  return { site, isOn, changes, keyDigest, keyCreatedAtMs, upload };
}
