import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Client } from 'pg';
import { readDatabaseUrl } from '../../src/storage/postgres/engine/connection-url.ts';

/**
 * A URL, the driver's reading of it (host, port, user, password and database of each server), and the description for
 * people.
 */
type Accepted = readonly [
  url: string,
  servers: readonly (readonly [string, number, string, string, string])[],
  told: string,
];

const ACCEPTED: readonly Accepted[] = [
  ['postgres://u:p@db:5433/pets', [['db', 5433, 'u', 'p', 'pets']], 'db:5433/pets'],
  ['postgresql://u:p@db/pets', [['db', 5432, 'u', 'p', 'pets']], 'db/pets'],
  ['POSTGRES://u:p@db.example.org/pets', [['db.example.org', 5432, 'u', 'p', 'pets']], 'db.example.org/pets'],
  [
    'postgres://u:p@one:5433,two:5434,three/pets?target_session_attrs=read-write',
    [
      ['one', 5433, 'u', 'p', 'pets'],
      ['two', 5434, 'u', 'p', 'pets'],
      ['three', 5432, 'u', 'p', 'pets'],
    ],
    'one:5433, two:5434, three/pets',
  ],
  [
    'postgres://u:p@one,two/pets?target_session_attrs=primary',
    [
      ['one', 5432, 'u', 'p', 'pets'],
      ['two', 5432, 'u', 'p', 'pets'],
    ],
    'one, two/pets',
  ],
  ['postgres://u:p@[::1]:5433/pets', [['::1', 5433, 'u', 'p', 'pets']], '[::1]:5433/pets'],
  [
    'postgres://u:p@[2001:db8::7],[::1]:5433/pets',
    [
      ['2001:db8::7', 5432, 'u', 'p', 'pets'],
      ['::1', 5433, 'u', 'p', 'pets'],
    ],
    '[2001:db8::7], [::1]:5433/pets',
  ],
  ['postgres://u:a%40b%3Ac%2Fd%2Ce%3Ff%23g%25h@db/pets', [['db', 5432, 'u', 'a@b:c/d,e?f#g%h', 'pets']], 'db/pets'],
  [
    'postgres://u:a,b:c@one,two/pets',
    [
      ['one', 5432, 'u', 'a,b:c', 'pets'],
      ['two', 5432, 'u', 'a,b:c', 'pets'],
    ],
    'one, two/pets',
  ],
  ['postgres://u%40x:p%C3%A4%20@db/p%20ts', [['db', 5432, 'u@x', 'pä ', 'p ts']], 'db/p%20ts'],
];

const SHAPE = /must be like postgres:\/\/user:password@host:5432\/database\.$/;
const SERVER = /names a server that is no host with a port/;
const ENCODING = /has a % that begins no percent-encoding/;
const ATTRIBUTES = /read-write or primary only/;
const TIMEOUT = /connect_timeout in whole seconds, 1 to 999/;
const PARAMETERS = /must name its servers before the database/;

const REFUSED: readonly (readonly [string, RegExp])[] = [
  ['', SHAPE],
  ['hidden', SHAPE],
  ['mysql://hidden:hidden@db/pets', SHAPE],
  ['http://hidden:hidden@db/pets', SHAPE],
  ['postgres://hidden:hidden@db', SHAPE],
  ['postgres://hidden:hidden@db/', SHAPE],
  ['postgres://hidden:hidden@db?sslmode=require', SHAPE],
  ['postgres://hidden:hidden@/pets', SHAPE],
  // An unencoded password, with parts that look like other URL parts.
  ['postgres://u:hid@hidden@db/pets', SHAPE],
  ['postgres://u:hid/hidden@db/pets', SHAPE],
  ['postgres://u:12/hidden@db/pets', SHAPE],
  ['postgres://u:hid#hidden@db/pets', SHAPE],
  ['postgres://u:hid?hidden@db/pets', SHAPE],
  ['postgres://u:100%hidden@db/pets', ENCODING],
  ['postgres://u:%E4hidden@db/pets', ENCODING],
  ['postgres://u:p@db/hidden%', ENCODING],
  ['postgres://hidden:hidden@one,,two/pets', SERVER],
  ['postgres://hidden:hidden@,one/pets', SERVER],
  ['postgres://hidden:hidden@one:port/pets', SERVER],
  ['postgres://hidden:hidden@one:99999/pets', SERVER],
  ['postgres://hidden:hidden@one,t wo/pets', SERVER],
  ['postgres://hidden:hidden@[::1/pets', SERVER],
  ['postgres://hidden:hidden@::1/pets', SERVER],
  ['postgres://hidden:hidden@db/pets?target_session_attrs=any', ATTRIBUTES],
  ['postgres://hidden:hidden@db/pets?target_session_attrs=standby', ATTRIBUTES],
  ['postgres://hidden:hidden@db/pets?host=hidden', PARAMETERS],
  ['postgres://hidden:hidden@db/pets?port=1', PARAMETERS],
  ['postgres://hidden:hidden@db/pets?sslmode=verify-ca', /needs sslrootcert/],
  ['postgres://hidden:hidden@db/pets?connect_timeout=hidden', TIMEOUT],
  ['postgres://hidden:hidden@db/pets?connect_timeout=', TIMEOUT],
  ['postgres://hidden:hidden@db/pets?connect_timeout=0', TIMEOUT],
  ['postgres://hidden:hidden@db/pets?connect_timeout=-1', TIMEOUT],
  ['postgres://hidden:hidden@db/pets?connect_timeout=1.5', TIMEOUT],
  ['postgres://hidden:hidden@db/pets?connect_timeout=1000', TIMEOUT],
];

void describe('database URL', () => {
  for (const [url, servers, told] of ACCEPTED) {
    void it(`accepts ${url}`, () => {
      const address = readDatabaseUrl(url);
      assert.ok(typeof address === 'object', 'expected an address');
      assert.equal(address.label, told);
      const seen = address.serverUrls.map((connectionString) => {
        const { host, port, user = '', password, database = '' } = new Client({ connectionString });
        return [host, port, user, String(password), database];
      });
      assert.deepEqual(seen, servers);
    });
  }

  for (const [url, sentence] of REFUSED) {
    void it(`refuses ${url === '' ? 'an empty text' : url} in one sentence that quotes nothing of it`, () => {
      const address = readDatabaseUrl(url);
      assert.ok(typeof address === 'string', 'expected a refusal');
      assert.match(address, sentence);
      assert.doesNotMatch(address, /hid|pets|db\//);
      assert.equal(address.split(/(?<=\.)\s/).length, 1);
    });
  }

  void it('sets the connect timeout', () => {
    for (const [query, timeoutMs] of [
      ['?connect_timeout=1', 1000],
      ['?sslmode=disable&connect_timeout=999', 999_000],
      ['', undefined],
    ] as const) {
      const address = readDatabaseUrl(`postgres://u:p@one,two/pets${query}`);
      assert.ok(typeof address === 'object');
      assert.equal(address.connectTimeoutMs, timeoutMs);
      for (const serverUrl of address.serverUrls) assert.ok(!serverUrl.includes('connect_timeout'));
    }
  });

  void it("keeps TLS options with libpq's meaning, without a warning at the start", async () => {
    const warnings: Error[] = [];
    const record = (warning: Error) => void warnings.push(warning);
    process.on('warning', record);
    const cases = [
      ['sslmode=disable', false],
      ['sslmode=require', { rejectUnauthorized: false }],
      ['sslmode=prefer', { rejectUnauthorized: false }],
      ['sslmode=verify-full', {}],
    ] as const;
    for (const [parameter, expected] of cases) {
      const address = readDatabaseUrl(`postgres://u:p@one,two/pets?${parameter}&target_session_attrs=read-write`);
      assert.ok(typeof address === 'object');
      for (const connectionString of address.serverUrls) {
        assert.ok(connectionString.includes(parameter) && !connectionString.includes('target_session_attrs'));
        const { ssl } = new Client({ connectionString }) as unknown as { ssl: unknown };
        assert.deepEqual(ssl, expected, parameter);
      }
    }
    // Warnings are emitted in the next turn.
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', record);
    assert.deepEqual(warnings, []);
  });
});
