import assert from 'node:assert/strict';
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
import { until } from '../support/workers.ts';

const ROWS = 5000;
const ROUNDS = { SQLite: 6, PostgreSQL: 4 };
/** The service is killed, too. */
const ROUNDS_WITH_SERVICE = 2;

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

/** The stored pets of a round, without their IDs if those are assigned. */
async function storedOf({ base }: RunningServer, round: number, isById: boolean): Promise<string[]> {
  const texts: string[] = [];
  for await (const pet of createClient({ base }).exportPets.lines())
    if (pet.name.startsWith(`Pet ${round}/`)) texts.push(textOf(pet, isById));
  return texts.toSorted();
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
    for (let round = 1; round <= ROUNDS[engine]; round++) {
      const isById = round % 2 === 0;
      const file = join(dataDir, `pets-${round}.csv`);
      await writeFile(file, csvText([PET_COLUMNS, ...petsOf(round).map(petCells)]));
      const args = ['pets', 'import', file, '--match', isById ? 'id' : 'name', '--url'];
      const expected = petsOf(round)
        .map((pet) => textOf(pet, isById))
        .toSorted();

      const running = startMenagerie(t, [...args, server.base]);
      const client = createClient({ base: server.base });
      const before = (await client.getStatistics()).total;
      const some = Math.floor((Math.random() * ROWS) / 2);
      await until('some rows are stored', async () => {
        assert.equal(running.written.stderr, '');
        return (await client.getStatistics()).total >= before + some;
      });
      if (round <= ROUNDS_WITH_SERVICE) await server.end('SIGKILL');
      running.child.kill('SIGKILL');
      await running.ended;
      if (round <= ROUNDS_WITH_SERVICE) server = await startServer(t, dataDir, flags);

      const left = await storedOf(server, round, isById);
      assert.deepEqual([...new Set(left)], left, 'no duplicates');
      assert.deepEqual([...new Set(left).difference(new Set(expected))].slice(0, 3), [], 'no half rows');
      if (left.length < ROWS) interrupted++;
      outputOf(await runCommand([...args, server.base]));
      assert.deepEqual(await storedOf(server, round, isById), expected);
    }
    assert.ok(interrupted > 0, `${interrupted} of ${ROUNDS[engine]} imports were interrupted`);
    await server.end('SIGTERM');
  });
