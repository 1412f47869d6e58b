import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { deskOn, outputOf, runCommand } from '../support/operator-commands.ts';
import { openTables } from '../support/stored.ts';
import { temporaryFolder } from '../support/service.ts';

/* Commands beside a service that has some of its settings as flags, which they do not know. */

const SETTINGS = `smtp-url = "smtps://user:password@mail.example.org"
petfinder-upload-url = "ftps://user:password@members.petfinder.com/import/"

[providers.staff]
issuer = "https://login.example.org"
client-id = "menagerie"
`;

void test('doctor and users beside a service: need no setting that its flags may have', async (t) => {
  const dataDir = join(await temporaryFolder(t), 'data');
  await deskOn(t, dataDir, true);
  const { query } = await openTables(t, dataDir);
  await query(
    `insert into site_record (kind, version, text, changed_at_ms) values ('enquiry-settings', 1, '{"enabled":true,"questions":[]}', 1)`,
  );
  await writeFile(join(dataDir, 'menagerie.toml'), SETTINGS, { mode: 0o600 });
  const { stdout, stderr } = await runCommand(['doctor', '--quick', '--data-dir', dataDir]);
  assert.equal(stderr, '');
  assert.match(stdout, /^ok +Queue of e-mail$/m);
  outputOf(await runCommand(['user', 'list', '--data-dir', dataDir]));
});
