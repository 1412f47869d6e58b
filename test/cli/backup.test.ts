import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { outputOf, runCommand } from '../support/operator-commands.ts';
import {
  contentsOf,
  continueSequences,
  makeRichInstallation,
  originalsIn,
  seenBy,
  serveOn,
} from '../support/rich-installation.ts';
import { temporaryFolder } from '../support/service.ts';
import { newDatabaseFor } from '../support/shared-postgres.ts';

void test('backup: restored on each engine, the data is identical and usable', async (t) => {
  const folder = await temporaryFolder(t);
  const [source, place, node, last] = ['source', 'place', 'node', 'last'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
    string,
  ];
  const credentials = await makeRichInstallation(t, source);
  const before = contentsOf(source);
  const made = outputOf(await runCommand(['backup', place, '--data-dir', source]));
  assert.match(made, /^Backup \S+ is in .+\.\n\d+ rows and 3 photos \(3 new\), \d+ kB written in [\d.]+ s\.$/m);
  assert.deepEqual(contentsOf(source), before, 'the source is only read');

  const url = await newDatabaseFor(t);
  const environment = { MENAGERIE_DATABASE_URL: url };
  assert.match(
    outputOf(await runCommand(['restore', place, '--data-dir', node], { environment })),
    /^\d+ rows and 3 photos were restored/m,
  );
  const second = join(folder, 'second');
  outputOf(await runCommand(['backup', second, '--data-dir', node], { environment }));
  assert.match(
    outputOf(await runCommand(['restore', second, '--data-dir', last])),
    /^\d+ rows and 3 photos were restored/m,
  );
  assert.deepEqual(contentsOf(last), before);
  assert.deepEqual(await originalsIn(join(last, 'photos')), await originalsIn(join(place, 'photos')));

  const places = [await serveOn(t, source), await serveOn(t, node, ['--database-url', url]), await serveOn(t, last)];
  const seen = await Promise.all(places.map(({ call }) => seenBy(call, credentials)));
  assert.equal(seen[1], seen[0]);
  assert.equal(seen[2], seen[0]);
  for (const { call } of places) assert.deepEqual(await continueSequences(call, credentials), ['6', '5', '"24"']);
});
