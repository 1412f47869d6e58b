import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import * as fc from 'fast-check';
import type { DatabaseStores } from '../../src/storage/rows/stores/stores.ts';
import type { Account, NewAccount } from '../../src/domain/accounts/ports.ts';
import { Failure } from '../../src/domain/failure.ts';
import { MAX_INT64 } from '../../src/domain/int64.ts';
import {
  applyAll,
  applyOne,
  createUsers,
  findAll,
  newAccount,
  putPet,
  removePet,
  removeUser,
} from '../support/changes.ts';
import { sharedPostgres } from '../support/shared-postgres.ts';
import { emptiedPostgresStores, openPostgresStoresAt } from '../support/postgres-stores.ts';
import { emptiedSqliteStores } from '../support/sqlite-stores.ts';

/** Client actions: create with or without an id, and delete. Several at the same time form one batch. */
type Step = { kind: 'assign' } | { kind: 'choose'; id: bigint } | { kind: 'remove'; id: bigint };

const MAX_ASSIGNED = 2n ** 53n - 1n;

const anyId = fc.oneof(
  { weight: 6, arbitrary: fc.bigInt({ min: 1n, max: 40n }) },
  { weight: 1, arbitrary: fc.bigInt({ min: 1n, max: MAX_INT64 }) },
  { weight: 1, arbitrary: fc.constantFrom(MAX_INT64, MAX_INT64 - 1n, MAX_ASSIGNED, MAX_ASSIGNED + 1n) },
);

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.constant({ kind: 'assign' as const }),
  fc.record({ kind: fc.constant('choose' as const), id: anyId }),
  fc.record({ kind: fc.constant('remove' as const), id: anyId }),
);

const batches = fc.array(fc.array(step, { minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 8 });

/** Checks that an assigned id was never used, and is higher than every id assigned before. */
class IdModel {
  readonly used = new Set<bigint>();
  lastAssigned = 0n;

  assigned(id: bigint): void {
    assert.ok(id > this.lastAssigned, `${id} was assigned after ${this.lastAssigned}`);
    assert.ok(!this.used.has(id), `${id} was in use before`);
    assert.ok(id <= MAX_ASSIGNED, `${id} is not a safe integer`);
    // No free id below it may be skipped.
    for (let free = this.lastAssigned + 1n; free < id; free++) assert.ok(this.used.has(free), `${free} was left out`);
    this.lastAssigned = id;
    this.used.add(id);
  }
}

const openSqlite = emptiedSqliteStores({ after });
const openPostgres = emptiedPostgresStores({ after }, async () =>
  openPostgresStoresAt(await (await sharedPostgres()).createDatabase()),
);

function describeAssignedIds(engine: string, openStores: () => Promise<DatabaseStores>): void {
  void describe(`assigned ids on ${engine}`, () => {
    void it('pets: never reused, and ascending, whatever ids clients choose and delete', async () => {
      const property = fc.asyncProperty(batches, async (sequence) => {
        const { pets } = await openStores();
        const model = new IdModel();
        const there = new Set<bigint>();
        for (const steps of sequence) {
          const outcomes = await applyAll(
            pets,
            steps.map((one) => {
              if (one.kind === 'remove') return removePet(one.id);
              return putPet({}, one.kind === 'choose' ? one.id : undefined);
            }),
          );
          for (const [index, one] of steps.entries()) {
            const outcome = outcomes[index];
            if (one.kind === 'remove') {
              assert.equal(outcome instanceof Failure, !there.delete(one.id));
              continue;
            }
            assert.ok(outcome !== undefined && !(outcome instanceof Error));
            if (one.kind === 'assign') model.assigned(outcome.id);
            else assert.equal(outcome.id, one.id);
            model.used.add(outcome.id);
            there.add(outcome.id);
          }
          const ids = [...there];
          const found = await findAll(pets, ids);
          assert.deepEqual(
            found.map((pet) => pet?.id),
            ids,
          );
        }
      });
      await fc.assert(property, { numRuns: 25 });
    });

    void it('accounts: never reused, and ascending, whatever ids clients choose for users', async () => {
      const property = fc.asyncProperty(batches, async (sequence) => {
        const { users } = await openStores();
        const model = new IdModel();
        const nameOf = new Map<bigint, string>();
        let count = 0;
        for (const steps of sequence) {
          const creating = steps.filter((one) => one.kind !== 'remove');
          const accounts = creating.map((one) =>
            newAccount(`u${++count}`, { publicId: one.kind === 'choose' ? one.id : undefined }),
          );
          const publicIds = await applyOne(users, createUsers(...accounts));
          const created = await findAll(
            users,
            accounts.map(({ profile }) => profile.username),
          );
          recordCreated(created, accounts, model, nameOf);
          assert.deepEqual(
            created.map((account) => account?.user.id),
            publicIds,
          );
          const removing = steps.filter((one) => one.kind === 'remove').filter(({ id }) => nameOf.has(id));
          await applyAll(
            users,
            removing.map(({ id }) => removeUser(nameOf.get(id) ?? '')),
          );
        }
      });
      await fc.assert(property, { numRuns: 20 });
    });
  });
}

function recordCreated(
  created: readonly (Account | undefined)[],
  accounts: readonly NewAccount[],
  model: IdModel,
  nameOf: Map<bigint, string>,
): void {
  // Chosen ids of a list are reserved before ids are assigned.
  for (const { publicId } of accounts) if (publicId !== undefined) model.used.add(publicId);
  accounts.forEach(({ publicId, profile }, index) => {
    const { id, user } = created[index] ?? assert.fail();
    model.assigned(id);
    assert.equal(user.id, publicId ?? id);
    nameOf.set(id, profile.username);
  });
}

describeAssignedIds('SQLite', openSqlite);
describeAssignedIds('PostgreSQL', openPostgres);
