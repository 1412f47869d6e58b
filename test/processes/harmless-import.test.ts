import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Client } from '../../src/client/client.ts';
import { runOn, type Setup } from '../support/nodes.ts';
import { prepareImport } from '../support/pet-imports.ts';

/*
 * What an import must never do: empty pets, publish what is no pet, replace pets of others, or store what the file does
 * not say.
 */

const ENGINES: readonly (readonly [name: string, setup: Setup | undefined])[] = [
  ['SQLite', undefined],
  ['PostgreSQL', 1],
];

/** The pets with their profiles. */
async function profilesOf(client: Client) {
  return Array.fromAsync(client.exportPets.lines({ include: 'profile' }));
}

for (const [engine, setup] of ENGINES)
  for (const match of ['id', 'externalId', 'name', 'name,category'])
    void test(`row that fails, ${engine}, matched by ${match}: a later row with its key changes nothing`, async (t) => {
      if (setup !== undefined) runOn(t, setup);
      const { client, run } = await prepareImport(t);
      const { id } = await client.addPet({
        body: {
          name: 'Anton',
          category: { name: 'Dogs' },
          status: 'available',
          profile: { externalId: 'A1', species: 'dog', birthDate: '2024-05-01' },
        },
      });
      const before = await profilesOf(client);
      const names = 'id,externalId,name,category,species,birthDate,status';
      const failing = [
        `${id},A1,Anton,Dogs,dog,2024-02-30,available,`,
        // Too many cells, and too few.
        `${id},A1,Anton,Dogs,dog,2024-05-01,available,x`,
        `${id},A1,Anton,Dogs`,
      ];
      for (const row of failing) {
        const ended = await run(`${names}\n${row}\n${id},A1,Anton,Dogs,cat,,\n`, '--match', match);
        assert.equal(ended.stdout, 'pets: 2 failed\n', row);
        assert.match(ended.stderr, /row 3: column \w+ is the same as in row 2\n$/);
        assert.deepEqual(await profilesOf(client), before);
      }
    });
