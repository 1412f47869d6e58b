import { FEATURE_CHECKS } from '../../features/names.ts';
import type { CheckName } from '../../domain/health/checks.ts';
import type { FoundProblem } from '../../domain/health/finding.ts';
import {
  OF_FEATURES_WITH_MAIL,
  OF_FEATURES_WITHOUT_MAIL,
  type DatabaseHealth,
  type RowProblem,
} from '../../domain/health/ports.ts';
import { createTally, type Tally } from '../../domain/search/counts.ts';
import { storedName } from '../../storage/rows/stored-names.ts';
import { damage, findAll, problemOf, subjectsOf, type DatabaseContext, type HealthCheck } from './check.ts';
import { ROLES } from '../../domain/access.ts';
import { findUsernameFault } from '../../domain/accounts/username-rules.ts';
import { MIN_INT64 } from '../../domain/int64.ts';
import { ProcessEnvironment } from '../settings/environment.ts';
import { findSettingsProblems } from '../settings/settings-check.ts';

/* Checks that need only the database. */

type DatabaseCheck = HealthCheck<DatabaseContext>;

const ACCOUNTS_PER_BATCH = 1000;

/** The difference between the clocks of two machines; requests take part of it. */
const MAX_DIFFERENCE_MS = 10_000;

/** How far the last change may be in the future. Small corrections of the clock are normal. */
const MAX_AHEAD_MS = 60_000;

/** An index that REINDEX CONCURRENTLY leaves behind when it fails. */
const LEFTOVER = /_cc(?:new|old)\d*"?$/;

export const damageCheck: DatabaseCheck = {
  name: 'database',
  find: ({ database }) =>
    findAll([
      async () => (await database.findDamage()).map(damage),
      async () => indexProblems(database, await database.findInvalidIndexes()),
    ]),
  async repair({ database }, found) {
    await database.rebuildIndexes?.(subjectsOf(found, 'index-damaged'));
    return undefined;
  },
};

function indexProblems({ rebuildIndexes }: DatabaseHealth, names: readonly string[]): readonly FoundProblem[] {
  if (rebuildIndexes !== undefined) return problemOf('index-damaged', names);
  return names.map((detail) => {
    const problem = LEFTOVER.test(detail) ? 'index-leftover' : 'index-invalid';
    return { problem, count: 1, subjects: [], detail };
  });
}

export const schemaCheck: DatabaseCheck = {
  name: 'schema',
  async find({ database }) {
    const { version, known } = await database.findSchema();
    // A restore that was interrupted early has not created the whole schema, and no version starts on it.
    if (version === known || (await database.findCopyState()) === 'restore-unfinished') return [];
    const isNewer = version > known;
    const detail = `${version} ${isNewer ? '>' : '<'} ${known}`;
    return [{ problem: isNewer ? 'schema-newer' : 'schema-older', count: 1, subjects: [], detail }];
  },
};

export const copiesCheck: DatabaseCheck = {
  name: 'copies',
  async find({ database }) {
    const problem = await database.findCopyState();
    return problem === undefined ? [] : [{ problem, count: 1, subjects: [] }];
  },
};

export const clockCheck: DatabaseCheck = {
  name: 'clock',
  async find({ database, clock }) {
    const beforeMs = clock();
    const { nowMs, lastChangeMs } = await database.readClock();
    const afterMs = clock();
    const differenceMs = nowMs === undefined ? 0 : Math.max(beforeMs - nowMs, nowMs - afterMs);
    const aheadMs = (lastChangeMs ?? 0) - afterMs;
    return [
      ...(differenceMs > MAX_DIFFERENCE_MS ? [clockProblem('clock-differs', differenceMs)] : []),
      ...(aheadMs > MAX_AHEAD_MS ? [clockProblem('clock-behind', aheadMs)] : []),
    ];
  },
};

function clockProblem(problem: 'clock-differs' | 'clock-behind', ms: number): FoundProblem {
  return { problem, count: 1, subjects: [], detail: `${Math.round(ms / 1000)} s` };
}

function rowCheck(name: DatabaseCheck['name'], problems: readonly RowProblem[]): DatabaseCheck {
  return {
    name,
    find: ({ database }) =>
      findAll(
        problems.map((problem) => async () => {
          const rows = await database.findRows(problem);
          return rows.count > 0 ? [{ problem, ...rows }] : [];
        }),
      ),
    async repair({ database }, found) {
      const names = new Set(found.map(({ problem }) => problem));
      for (const problem of problems) if (names.has(problem)) await database.repairRows(problem);
      return undefined;
    },
  };
}

export const historyCheck = rowCheck('history', [
  'version-missing',
  'history-broken',
  'pet-outdated',
  'deletion-outdated',
  'added-version-wrong',
  'status-wrong',
]);
export const referencesCheck = rowCheck('references', ['orphaned-rows']);
const queueCheck = rowCheck('mail', ['mail-dead', 'mail-waiting']);
const withMailCheck = rowCheck('mail', OF_FEATURES_WITH_MAIL);
const withoutMailCheck = rowCheck('mail', OF_FEATURES_WITHOUT_MAIL);

export const mailCheck: DatabaseCheck = {
  name: 'mail',
  find: (context) => {
    const { sendsMail } = context;
    const ofFeatures = sendsMail === undefined ? [] : [sendsMail ? withMailCheck : withoutMailCheck];
    return findAll([queueCheck, ...ofFeatures].map((check) => () => check.find(context)));
  },
};
export const certificateCheck = rowCheck('certificate', ['certificate-failing']);
/** The operator of a command beside the service may not know its key, and not all of its flags. */
export const settingsCheck: DatabaseCheck = {
  name: 'settings',
  async find({ database, places, sendsMail }) {
    const isBeside = sendsMail === undefined;
    const environment = new ProcessEnvironment(isBeside ? { ...places, adminPrivateAddresses: true } : places);
    const found = findSettingsProblems(await database.listSiteRecords(), environment);
    const isKeyUnknown = isBeside && places.database !== undefined && places.secretKey === undefined;
    return isKeyUnknown ? found.filter(({ problem }) => problem !== 'setting-unreadable') : found;
  },
};
export const auditCheck = rowCheck('audit', ['audit-gap']);
export const countersCheck = rowCheck('counters', ['counter-low']);
export const photoUseCheck = rowCheck('photo-references', ['photo-use-wrong']);

const OF_FEATURES: Readonly<Record<string, { problems: readonly RowProblem[] }>> = FEATURE_CHECKS;

export const featureChecks = Object.entries(OF_FEATURES).map(([name, { problems }]) =>
  rowCheck(name as CheckName, problems),
);

export const countsCheck: DatabaseCheck = {
  name: 'counts',
  async find({ database }) {
    const { subjects } = await recount(database);
    return subjects.length === 0 ? [] : [{ problem: 'counts-wrong', count: subjects.length, subjects }];
  },
  async repair({ database }) {
    // The history up to a version never changes, so the long recount needs no transaction.
    const { events, version } = await recount(database);
    await database.replaceCounts(events, version);
    return undefined;
  },
};

async function recount(database: DatabaseHealth) {
  const { version, counts, photos, photoBytes } = await database.readCounts();
  const events = await database.countEvents(0n, version);
  const inUse = createTally();
  inUse.countPhotos(photos, photoBytes);
  const right = new Map([...keysOf(events), ...keysOf(inUse)]);
  const names = new Set([...counts.keys(), ...right.keys()]);
  const isWrong = (name: string) => (counts.get(name) ?? 0n) !== (right.get(name) ?? 0n);
  return { version, events, subjects: [...names].filter(isWrong).toSorted() };
}

function keysOf(tally: Tally): readonly (readonly [string, bigint])[] {
  return tally.changes().map(([kind, name, count]) => [`${storedName(kind)} ${name}`, BigInt(count)] as const);
}

/** Roles and user names that another program wrote, or a version with other rules. */
export const accountCheck: HealthCheck<DatabaseContext> = {
  name: 'accounts',
  async find({ database }) {
    const unknownRoles: string[] = [];
    const invalidNames: string[] = [];
    for (let after: bigint | undefined = MIN_INT64; after !== undefined;) {
      const accounts = await database.listAccounts(after, ACCOUNTS_PER_BATCH);
      for (const { username, role } of accounts) {
        if (!ROLES.some((known) => known === role)) unknownRoles.push(`${username} (${role})`);
        if (findUsernameFault(username) !== undefined) invalidNames.push(username);
      }
      after = accounts.at(-1)?.id;
    }
    return [...problemOf('account-role-unknown', unknownRoles), ...problemOf('account-name-invalid', invalidNames)];
  },
};
