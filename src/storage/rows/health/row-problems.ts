import { FEATURE_BROKEN_ROWS, FEATURE_REFERENCES, FEATURE_ROW_CHECKS } from '../../../features/storage.ts';
import { ROW_PROBLEMS, type RowProblem } from '../../../domain/health/ports.ts';
import { PET_STATUSES } from '../../../domain/pets/pet.ts';
import { isAddition, LAST_ADDITION, SET_ADDED_VERSIONS } from '../derived-rows.ts';
import { isReferredTo } from '../photo-use.ts';
import { statement, type Dialect, type Statement } from '../statements.ts';

/*
 * SQL that finds and repairs problems of rows. A pet and a deleted pet are derived from the newest row of their
 * history.
 */

interface RowCheck {
  /** Returns a description of each affected record as `subject`. */
  find: string | ((sql: Dialect) => string);
  /** Statements of one transaction. `:now` is replaced by the parameter for the time. */
  repair: readonly string[];
}

interface RowStatements {
  /** Returns the number of affected records with each row, and the subjects of some of them. */
  find: Statement;
  repair: readonly { needsTime: boolean; statement: Statement }[];
}

const NEWEST = `(select pet_id, max(version) as version from pet_version group by pet_id)`;

const JOINED_TO_NEWEST = `from ${NEWEST} as newest
  join pet_version on pet_version.pet_id = newest.pet_id and pet_version.version = newest.version
  left join pet on pet.id = newest.pet_id
  left join removed_pet on removed_pet.id = newest.pet_id`;

const ADDED_VERSION = `coalesce(
  (select max(addition.version) from pet_version as addition where addition.pet_id = newest.pet_id and ${isAddition('addition')}),
  removed_pet.added_version, pet.added_version, newest.version)`;

/**
 * Each version with the next older one of its pet, to which `previous` has to refer. Nothing ever deletes a version.
 */
const LINKED_VERSIONS = `(select pet_id, version, previous, lag(version) over (partition by pet_id order by version) as older
  from pet_version) as link`;

const HAS_PREVIOUS = `exists (select 1 from pet_version as earlier where earlier.pet_id = link.pet_id and earlier.version = link.previous)`;

/** The status is the last field of the text (`SOLD_END`). No other text ends so. */
const STATUS_OF_TEXT = (text: string) =>
  `case ${PET_STATUSES.map((status) => `when ${text} like '%,"status":"${status}"}' then '${status}'`).join(' ')} end`;

const OUTDATED_PET = `${JOINED_TO_NEWEST}
  where pet_version.text is not null and coalesce(removed_pet.version, 0) < newest.version
    and (pet.id is null or pet.version < newest.version or removed_pet.id is not null)`;

const OUTDATED_DELETION = `${JOINED_TO_NEWEST}
  where pet_version.text is null and coalesce(pet.version, 0) < newest.version
    and (removed_pet.id is null or removed_pet.version < newest.version or pet.id is not null)`;

const named = (label: string, id: string) => `'${label} ' || cast(${id} as text) as subject`;

/** Rows that refer to another table. Each is deleted with the row that it refers to, or loses only the reference. */
export const REFERENCES = [
  { table: 'session', column: 'account_id', parent: 'account', label: 'session of account' },
  { table: 'api_key', column: 'account_id', parent: 'account', label: 'API key of account' },
  { table: 'password_reset', column: 'account_id', parent: 'account', label: 'reset link of account' },
  { table: 'confirmed_email', column: 'account_id', parent: 'account', label: 'e-mail address of account' },
  { table: 'email_confirmation', column: 'account_id', parent: 'account', label: 'confirmation link of account' },
  { table: 'totp', column: 'account_id', parent: 'account', label: 'one-time codes of account' },
  { table: 'recovery_code', column: 'account_id', parent: 'account', label: 'recovery code of account' },
  { table: 'passkey', column: 'account_id', parent: 'account', label: 'passkey of account' },
  { table: 'sign_in_step', column: 'account_id', parent: 'account', label: 'login step of account' },
  { table: 'provider_login', column: 'account_id', parent: 'account', label: 'provider login of account' },
  { table: 'oauth_client', column: 'account_id', parent: 'account', label: 'OAuth client of account' },
  { table: 'pet_photo', column: 'pet_id', parent: 'pet', label: 'photo of pet' },
  { table: 'pet_external_id', column: 'pet_id', parent: 'pet', label: 'external id of pet' },
  ...FEATURE_REFERENCES,
] as const;

/** Rows of features that refer to something else that does not exist: the condition, and what an update sets. */
const BROKEN_ROWS: readonly { table: string; column: string; label: string; isBroken: string; repair: string }[] =
  FEATURE_BROKEN_ROWS;

const isOrphaned = ({ table, column, parent }: (typeof REFERENCES)[number]) =>
  `${column} is not null and not exists (select 1 from ${parent} where ${parent}.id = ${table}.${column})`;

const repairOf = (each: (typeof REFERENCES)[number]) =>
  'isOptional' in each
    ? `update ${each.table} set ${each.column} = null where ${isOrphaned(each)}`
    : `delete from ${each.table} where ${isOrphaned(each)}`;

const IS_REFERRED_TO = isReferredTo('photo.digest');
const MARKED_UNUSED = `doomed = 0 and unused_since_ms is not null and ${IS_REFERRED_TO}`;
const MARKED_USED = `doomed = 0 and unused_since_ms is null and not ${IS_REFERRED_TO}`;

const UNRECORDED_IDS = `from (select id from account union select public_id from account) as given
  where not exists (select 1 from used_account_id as used where used.id = given.id)`;

const LAST_USED = 'greatest((select max(version) from pet_version), (select max(version) from account_change))';

/** All counters of PostgreSQL are in one row. On SQLite, `next_id` has those of ids; the audit log has SQLite's own. */
const LOW_COUNTERS = ({ either }: Dialect) =>
  either(
    `select 'last version' as subject from change_order where last_version < ${LAST_USED}
    union all select 'last entry of the audit log' as subject from change_order where last_audit_id < (select max(id) from audit)
    union all select 'next pet id' as subject from change_order where next_pet_id < 1
    union all select 'next account id' as subject from change_order where next_account_id < 1
    union all select 'all counters' as subject where not exists (select 1 from change_order where only_row = 1)`,
    `select 'next entry of the audit log' as subject
      where (select max(id) from audit) > ifnull((select seq from sqlite_sequence where name = 'audit'), 0)
    union all select 'next ' || value || ' id' as subject from json_each('["pet","account"]')
      where not exists (select 1 from next_id where kind = value and id > 0)`,
  );

const CHECKS: Readonly<Record<RowProblem, RowCheck>> = {
  'version-missing': {
    find: `select ${named('pet', 'pet.id')}
        from pet left join pet_version on pet_version.pet_id = pet.id and pet_version.version = pet.version
        where pet_version.text is distinct from pet.text or pet_version.profile is distinct from pet.profile
      union all select ${named('deleted pet', 'removed_pet.id')}
        from removed_pet left join pet_version on pet_version.pet_id = removed_pet.id and pet_version.version = removed_pet.version
        where pet_version.version is null or pet_version.text is not null`,
    repair: [],
  },
  'history-broken': {
    find: `select 'pet ' || cast(pet_id as text) || ', version ' || cast(version as text) || ': ' ||
        case when previous is null or ${HAS_PREVIOUS}
          then 'the previous version is ' || coalesce(cast(previous as text), 'none') || ' instead of ' || coalesce(cast(older as text), 'none')
          else 'the previous version ' || cast(previous as text) || ' is missing' end as subject
      from ${LINKED_VERSIONS} where previous is distinct from older`,
    repair: [],
  },
  'pet-outdated': {
    find: `select ${named('pet', 'newest.pet_id')} ${OUTDATED_PET}`,
    repair: [
      `insert into pet (id, version, added_version, status, text, profile_version, profile, is_draft)
       select newest.pet_id, newest.version, ${ADDED_VERSION}, ${STATUS_OF_TEXT('pet_version.text')}, pet_version.text,
         pet_version.profile_version, pet_version.profile, pet_version.is_draft ${OUTDATED_PET}
       on conflict (id) do update set version = excluded.version, added_version = excluded.added_version, status = excluded.status, text = excluded.text,
         profile_version = excluded.profile_version, profile = excluded.profile, is_draft = excluded.is_draft
         where pet.version < excluded.version`,
      `delete from removed_pet where exists (select 1 from pet where pet.id = removed_pet.id and pet.version > removed_pet.version)`,
    ],
  },
  'deletion-outdated': {
    find: `select ${named('pet', 'newest.pet_id')} ${OUTDATED_DELETION}`,
    repair: [
      `insert into removed_pet (id, version, added_version)
       select newest.pet_id, newest.version, ${ADDED_VERSION} ${OUTDATED_DELETION}
       on conflict (id) do update set version = excluded.version, added_version = excluded.added_version
         where removed_pet.version < excluded.version`,
      `delete from pet where exists (select 1 from removed_pet where removed_pet.id = pet.id and removed_pet.version > pet.version)`,
    ],
  },
  'added-version-wrong': {
    find: `select ${named('pet', 'addition.pet_id')} from ${LAST_ADDITION}
        left join pet on pet.id = addition.pet_id left join removed_pet on removed_pet.id = addition.pet_id
      where coalesce(removed_pet.added_version, pet.added_version) <> addition.version`,
    repair: SET_ADDED_VERSIONS,
  },
  'status-wrong': {
    find: `select ${named('pet', 'pet.id')} from pet where status is distinct from ${STATUS_OF_TEXT('text')}`,
    repair: [
      `update pet set status = ${STATUS_OF_TEXT('text')} where status is distinct from ${STATUS_OF_TEXT('text')}`,
    ],
  },
  'orphaned-rows': {
    find: [...REFERENCES.map((each) => ({ ...each, isBroken: isOrphaned(each) })), ...BROKEN_ROWS]
      .map(({ table, column, label, isBroken }) => `select ${named(label, column)} from ${table} where ${isBroken}`)
      .join(' union all '),
    repair: [
      ...REFERENCES.map(repairOf),
      ...BROKEN_ROWS.map(({ table, isBroken, repair }) => `update ${table} set ${repair} where ${isBroken}`),
    ],
  },
  'mail-dead': { find: `select ${named('message', 'id')} from mail where dead = 1`, repair: [] },
  'mail-waiting': { find: `select ${named('message', 'id')} from mail where dead = 0 and attempts >= 6`, repair: [] },
  'certificate-failing': {
    find: 'select order_key as subject from certificate where failing_since_ms is not null',
    repair: [],
  },
  ...FEATURE_ROW_CHECKS,
  // Entries expire in the order of their numbers, which have no gaps.
  'audit-gap': {
    find: `select ${named('before entry', 'later.id')} from audit as later where later.id > (select min(id) from audit)
        and not exists (select 1 from audit as earlier where earlier.id = later.id - 1)`,
    repair: [],
  },
  'photo-use-wrong': {
    find: `select digest as subject from photo where ${MARKED_UNUSED}
      union all select digest as subject from photo where ${MARKED_USED}`,
    repair: [
      `update photo set unused_since_ms = null where ${MARKED_UNUSED}`,
      `update photo set unused_since_ms = :now where ${MARKED_USED}`,
    ],
  },
  'counter-low': {
    // An account id that is not recorded as used would be assigned again after a deletion.
    find: (sql) => `${LOW_COUNTERS(sql)} union all select ${named('used account id', 'given.id')} ${UNRECORDED_IDS}`,
    repair: [`insert into used_account_id (id) select given.id ${UNRECORDED_IDS}`],
  },
};

const MAX_SUBJECTS = 100;

function statementsOf({ find, repair }: RowCheck): RowStatements {
  return {
    find: statement((sql) => {
      const found = typeof find === 'string' ? find : find(sql);
      return `select count(*) over () as total, subject from (${found}) as found order by subject limit ${MAX_SUBJECTS}`;
    }),
    repair: repair.map((text) => ({
      needsTime: text.includes(':now'),
      statement: statement(text.replace(':now', '$1::int8')),
    })),
  };
}

export const ROW_CHECKS = Object.fromEntries(
  ROW_PROBLEMS.map((problem) => [problem, statementsOf(CHECKS[problem])]),
) as Readonly<Record<RowProblem, RowStatements>>;
