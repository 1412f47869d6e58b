import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { createClient } from '../../src/client/client.ts';
import type { Pet } from '../../src/api/records/pet.ts';
import { csvText } from '../../src/transfer/csv.ts';
import { PET_COLUMNS, petCells } from '../../src/transfer/pet-table.ts';
import { startMenagerie, startServer, type RunningServer } from '../support/menagerie-process.ts';
import { newDatabase } from '../support/nodes.ts';
import { outputOf, runCommand } from '../support/operator-commands.ts';
import { temporaryFolder } from '../support/service.ts';
import { until } from '../support/until.ts';

/** Three batches. */
const ROWS = 2500;
const ROUNDS = 25;
/** In the first ones, the service is killed, too. */
const ROUNDS_WITH_SERVICE = 3;

function petsOf(round: number): Pet[] {
  return Array.from({ length: ROWS }, (_, index) => ({
    id: BigInt(round * 1_000_000 + index + 1),
    category: { id: 1n, name: '=Dogs' },
    name: `Pet ${round}/${index}`,
    photoUrls: [`https://example.org/${round}/${index}.jpg`],
    tags: [{ name: 'calm' }, { id: 2n, name: `t${index % 7}` }],
    status: 'available',
  }));
}

/** The stored pets, without their IDs if those are assigned. */
async function storedOn({ base }: RunningServer, isById: boolean): Promise<string[]> {
  const texts: string[] = [];
  for await (const pet of createClient({ base }).exportPets.lines()) texts.push(textOf(pet, isById));
  return texts.toSorted();
}

/** So that later rounds do not take longer. */
async function deleteAll({ base }: RunningServer): Promise<void> {
  const client = createClient({ base });
  const body: { op: 'delete'; id: bigint }[] = [];
  for await (const { id } of client.exportPets.lines()) body.push({ op: 'delete', id });
  await client.changePets({ body });
}

function textOf({ id, ...pet }: Pet, isById: boolean): string {
  const whole = isById ? { id, ...pet } : pet;
  return JSON.stringify(whole, (_key, value: unknown) => (typeof value === 'bigint' ? `${value}` : value));
}

for (const engine of ['SQLite', 'PostgreSQL'] as const)
  void test(`killed imports on ${engine}: leave whole rows, and a second try leaves no duplicates`, async (t) => {
    const dataDir = await temporaryFolder(t);
    const flags = ['--empty', ...(engine === 'SQLite' ? [] : ['--database-url', await newDatabase(dataDir)])];
    let server = await startServer(t, dataDir, flags);
    let interrupted = 0;
    for (let round = 1; round <= ROUNDS; round++) {
      const isById = round % 2 === 0;
      const file = join(dataDir, `pets-${round}.csv`);
      await writeFile(file, csvText([PET_COLUMNS, ...petsOf(round).map(petCells)]));
      const args = ['pets', 'import', file, '--publish', '--match', isById ? 'id' : 'name', '--url'];
      const expected = petsOf(round)
        .map((pet) => textOf(pet, isById))
        .toSorted();

      const running = startMenagerie(t, [...args, server.base]);
      const client = createClient({ base: server.base });
      const some = randomInt(ROWS);
      await until('some rows are stored', async () => {
        assert.equal(running.written.stderr, '');
        return (await client.getStatistics()).total >= some;
      });
      if (round <= ROUNDS_WITH_SERVICE) await server.end('SIGKILL');
      running.child.kill('SIGKILL');
      await running.ended;
      if (round <= ROUNDS_WITH_SERVICE) server = await startServer(t, dataDir, flags);

      const left = await storedOn(server, isById);
      assert.deepEqual([...new Set(left)], left, 'no duplicates');
      assert.deepEqual([...new Set(left).difference(new Set(expected))].slice(0, 3), [], 'no half rows');
      if (left.length < ROWS) interrupted++;
      outputOf(await runCommand([...args, server.base]));
      assert.deepEqual(await storedOn(server, isById), expected);
      await deleteAll(server);
    }
    assert.ok(interrupted > 0);
    t.diagnostic(`${interrupted} of ${ROUNDS} imports were interrupted`);
    await server.end('SIGTERM');
  });
