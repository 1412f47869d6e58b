import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { startMenagerie } from '../../src/testing/menagerie.ts';
import { assertRefusal, outputOf, runCommand } from '../support/operator-commands.ts';
import { temporaryFolder } from '../support/service.ts';

const MAX_ID = 2n ** 63n - 1n;

void describe('menagerie pets', () => {
  void it('export, import: keep all 64-bit IDs exactly', async (t) => {
    await using from = await startMenagerie({ samples: true });
    await using to = await startMenagerie();
    await from.client.addPet({ body: { id: MAX_ID, name: 'Größe\n"X"', tags: [{ id: MAX_ID }] } });
    const text = outputOf(await runCommand(['pets', 'export', '--url', from.base]));
    assert.equal(text.trim().split('\n').length, 21);
    assert.match(text, /^\{"id":9223372036854775807,/m);
    const file = join(await temporaryFolder(t), 'pets.ndjson');
    await writeFile(file, text);
    const environment = { MENAGERIE_URL: to.base };
    assert.equal(
      outputOf(await runCommand(['pets', 'import', file, '--publish'], { environment })),
      'pets: 21 created\n',
    );
    assert.equal(outputOf(await runCommand(['pets', 'export'], { environment })), text);
  });

  void it('import with invalid lines: reports their numbers and stores the others', async () => {
    await using menagerie = await startMenagerie();
    const input =
      '{"id":1,"name":"Rex"}\r\n\nno JSON\n{"id":2,"name":" ' +
      '"}\n{"id":3,"name":"Max","createdNs":1700000000000000000}\n{"id":1e17,"name":"Zoe"}';
    const ended = await runCommand(['pets', 'import', '--publish', '--url', menagerie.base], { input });
    assert.deepEqual([ended.code, ended.stdout], [1, 'pets: 2 created, 3 failed\n']);
    const lines = ended.stderr.trim().split('\n');
    assert.match(lines[0] ?? '', /^row 3: The line is not a JSON object\.$/);
    assert.match(lines[1] ?? '', /^row 4: column name must be a string/);
    assert.match(lines[2] ?? '', /^row 6: column id must be a 64-bit integer/);
    assert.equal(lines.length, 3);
  });

  void it('import to a secured service: needs an API key, and each row has the reason', async (t) => {
    const users = [{ username: 'ada', password: 'a', role: 'admin' }] as const;
    await using menagerie = await startMenagerie({ access: 'secured', users });
    const { client, base } = menagerie;
    await client.login('ada', 'a');
    const { key } = await client.createKey({ body: { name: 'import', scopes: ['write:pets'] } });
    const call = ['pets', 'import', '-', '--publish', '--url', base];
    const input = '{"id":1,"name":"Rex"}\n';
    const refused = await runCommand(call, { input });
    assert.deepEqual([refused.code, refused.stdout], [1, 'pets: 1 failed\n']);
    assert.match(refused.stderr, /^Missing or invalid credentials[^\n]*\n$/);
    const result = join(await temporaryFolder(t), 'result.csv');
    await runCommand([...call, '--result', result], { input: input.repeat(2).replace('1', '2') });
    assert.match(
      await readFile(result, 'utf8'),
      /^row,outcome,id,error\r\n1,failed,,"Missing or inv.*"\r\n2,failed,,"Missing or inv.*"\r\n$/,
    );
    const allowed = await runCommand(call, { input, environment: { MENAGERIE_KEY: key } });
    assert.equal(outputOf(allowed), 'pets: 1 created\n');
  });

  void it('unreachable service, missing file, invalid usage: are reported', async (t) => {
    const folder = await temporaryFolder(t);
    const zip = ['import', '/no/such/file.csv', '--photos'];
    const failures: [args: string[], says: RegExp][] = [
      [
        ['export', '--url', 'http://127.0.0.1:9/v2'],
        /^The service is unreachable, or the connection was closed\. Check that it is running, and --url \(MENAGERIE_URL\)\.\n$/,
      ],
      [
        ['import', '/no/such/file.csv'],
        /^The file \/no\/such\/file\.csv cannot be read: no such file or directory\.\n$/,
      ],
      [['import', folder, '--format', 'csv'], /^The file \S+ cannot be read: it is a folder, not a file\.\n$/],
      [[...zip, '/none.zip'], /^The ZIP file \/none\.zip cannot be read: no such file or directory\.\n$/],
      [[...zip, folder], /^The ZIP file \S+ cannot be read: it is a folder, not a file\.\n$/],
    ];
    for (const [args, says] of failures) assertRefusal(await runCommand(['pets', ...args]), { code: 1, says });
    const calls: [args: string[], says: RegExp][] = [
      [[], /^Missing command\.\n/],
      [['exprt'], /^Unknown command: pets exprt\. Did you mean pets export\? Run "menagerie pets --help"[^\n]+\n$/],
      [['export', 'x'], /^There are too many arguments\.\nUsage: menagerie pets export/],
      [['export', '--formt=csv'], /^Unknown option --formt\. Did you mean --format\?\nUsage: /],
      [
        ['import', '--dryrun', 'x.csv'],
        /^Unknown option --dryrun\. Did you mean --dry-run\?\nUsage: menagerie pets import/,
      ],
      [['import', 'pets.csv', '--format', 'xlsx'], /^--format must be one of csv, ndjson\.\n$/],
      [['import', '--map', 'name'], /^--map must be 'NAME=COLUMN', where COLUMN is id, name, /],
      [['import', '--map', 'Age=age'], /^--map must be 'NAME=COLUMN'/],
      [['import', '--match', 'tags'], /^--match must be one of /],
      [['export', '--url', 'pets.example.org'], /^--url \(MENAGERIE_URL\) must be a URL such as [^\n]+\n$/],
      [
        ['export', '--url', 'http://me:hunter2@127.0.0.1:9'],
        /^--url \(MENAGERIE_URL\) must be a URL [^\n]+ without credentials/,
      ],
      [['export', '--url', 'http://127.0.0.1:9/?key=x'], /^--url \(MENAGERIE_URL\) must be a URL [^\n]+ query/],
      [['export', '--key', 'two words'], /^--key \(MENAGERIE_KEY\) must be an API key, /],
    ];
    for (const [args, says] of calls) assertRefusal(await runCommand(['pets', ...args]), { code: 2, says });
    assert.match(outputOf(await runCommand(['pets', '--help'])), /menagerie pets import \[FILE\]/);
  });
});
