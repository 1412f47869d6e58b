import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openConnection } from '../support/connection.ts';
import { runOn } from '../support/nodes.ts';
import { startTestService } from '../support/service.ts';

/* A search at any node sees each change that was acknowledged by any other node before it. */

const NODES = 3;
const PETS = 10_000;
const CLIENTS = 48;

/** Every tenth pet is renamed and deleted as well. */
const CHANGED = 10;

/** Words of three characters with a digit, so that no one begins another one, and none is corrected. */
const WORDS = Array.from({ length: 36 ** 3 }, (_, number) => number.toString(36).padStart(3, '0')).filter((word) =>
  /\d/.test(word),
);
const wordOf = (number: number) => WORDS[number] ?? assert.fail();

void test(`${PETS} pets of concurrent clients: are found, renamed and deleted at other nodes at once`, async (t) => {
  runOn(t, NODES);
  const { nodes } = await startTestService(t);
  const connections = nodes.map(({ origin }) => openConnection(`${origin}/v2`, { connections: CLIENTS / NODES }));
  t.after(async () => connections.forEach(({ close }) => close()));

  /** A request to the node of this number. */
  async function send<T>(node: number, method: string, path: string, json?: unknown): Promise<T> {
    const { call } = connections[node % NODES] ?? assert.fail();
    const { status, text } = await call(method, path, json === undefined ? {} : { json });
    assert.equal(status, 200, `${method} ${path} at node ${node % NODES}: ${text}`);
    return JSON.parse(text) as T;
  }

  async function assertFound(node: number, word: string, ids: readonly number[]): Promise<void> {
    const { pets, total } = await send<{ pets: { id: number }[]; total: number }>(node, 'GET', `pet?text=${word}`);
    const message = `${word} at node ${node % NODES}`;
    assert.deepEqual(
      pets.map(({ id }) => id),
      ids,
      message,
    );
    assert.equal(total, ids.length, message);
  }

  async function check(number: number): Promise<void> {
    const [word, other] = [wordOf(number), wordOf(PETS + number)];
    const { id } = await send<{ id: number }>(number, 'POST', 'pet', { name: `Rex ${word}` });
    await assertFound(number + 1 + (Math.floor(number / NODES) % 2), word, [id]);
    if (number % CHANGED !== 0) return;
    await send(number + 1, 'PUT', 'pet', { id, name: `Rex ${other}` });
    await Promise.all([assertFound(number, word, []), assertFound(number + 2, other, [id])]);
    await send(number + 2, 'DELETE', `pet/${id}`);
    await Promise.all([assertFound(number, other, []), assertFound(number + 1, other, [])]);
  }

  let next = 0;
  const client = async () => {
    while (next < PETS) await check(next++);
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  for (const node of nodes.keys()) {
    const { total } = await send<{ total: number }>(node, 'GET', 'pet?text=rex&limit=1');
    assert.equal(total, PETS - PETS / CHANGED);
  }
});
