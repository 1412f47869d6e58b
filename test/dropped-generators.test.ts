import assert from 'node:assert/strict';
import { copyFile, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { findDroppedGenerators } from '../scripts/dropped-generators.ts';

const SOURCE = `
function* step(): Generator<string, void, number> { yield 'x'; }
async function* lines(): AsyncGenerator<string> { yield 'x'; }
declare const items: string[];
declare const isOn: boolean;
declare function run(steps: Generator<string, void, number>): void;
declare function call(work: () => unknown): void;
declare function callTyped<R>(work: () => R): R;

step(); // dropped
lines(); // dropped
void step(); // dropped
isOn && step(); // dropped
if (isOn) step(); // dropped
isOn ? step() : undefined; // dropped
if (step()) run(step()); // dropped
await Promise.resolve(step()); // dropped
[step()]; // dropped
step(), run(step()); // dropped
for (const item of items) if (item !== '') step(); // dropped
items.map(() => step()); // dropped
items.forEach(() => step()); // dropped
items.forEach(() => { step(); }); // dropped
items.forEach(() => { return step(); }); // dropped
items.forEach(step); // dropped
items.forEach(function* () { yield 'x'; }); // dropped
call(() => step()); // dropped
setTimeout(step); // dropped
function* group() { step(); yield* step(); } // dropped
function* all() { yield* step(); yield* isOn ? step() : step(); for (const each of step()) yield each; }
export const texts = [...all(), ...group()];
for await (const line of lines()) texts.push(line);
run(step());
run(callTyped(() => step()));
export const made = items.map(() => step());
export const make = () => step();
let later = step();
later = step();
run(later);
`;

const CONFIG = {
  compilerOptions: { target: 'es2024', module: 'nodenext', lib: ['es2024', 'dom'], types: [], strict: true },
  include: ['*.ts'],
};

void test('dropped generators: each place that drops one is found, and no other', async (t) => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'menagerie-generators-')));
  t.after(() => rm(folder, { recursive: true }));
  const probes = 'generator-types.ts';
  await Promise.all([
    writeFile(join(folder, 'package.json'), '{"type":"module"}'),
    writeFile(join(folder, 'tsconfig.json'), JSON.stringify(CONFIG)),
    writeFile(join(folder, 'source.ts'), SOURCE),
    copyFile(join(import.meta.dirname, '../scripts', probes), join(folder, probes)),
  ]);
  const found = findDroppedGenerators(join(folder, 'tsconfig.json'));
  const lines = SOURCE.split('\n');
  const marked = lines.filter((line) => line.endsWith('// dropped'));
  assert.deepEqual([...new Set(found.map(({ line }) => lines[line - 1]))], marked);
  assert.ok(found.every(({ file }) => file === 'source.ts'));
});
