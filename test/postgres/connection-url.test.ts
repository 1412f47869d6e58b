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
const ATTRIBUTES = /^must have one of read-write, primary as its target_session_attrs\.$/;
const MODES = /^must have one of disable, prefer, require, verify-ca, verify-full, no-verify as its sslmode\.$/;
const UNENCODED = /must be percent-encoded: @ as %40, : as %3A, \/ as %2F, \? as %3F, # as %23\.$/;
const WHITE_SPACE = /^has white space/;
const UNKNOWN = /^has an unknown parameter, foo; allowed are application_name, [^.]+, user\.$/;
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
  ['postgres://u:hid@hidden@db/pets', UNENCODED],
  ['postgres://u:hid/hidden@db/pets', UNENCODED],
  ['postgres://u:12/hidden@db/pets', UNENCODED],
  ['postgres://u:hid#hidden@db/pets', UNENCODED],
  ['postgres://u:hid?hidden@db/pets', UNENCODED],
  ['postgres://u:12/3?hidden=@db/pets', UNENCODED],
  ['postgres://u:hid:/hidden@db/pets', UNENCODED],
  ['postgres://u:p@db/pets?options=hid@hidden', UNENCODED],
  ['postgres://u:hid hidden@db/pets', WHITE_SPACE],
  ['postgres://u:hidden@db/pets\n', WHITE_SPACE],
  ['host=db password=hidden dbname=pets', SHAPE],
  ['postgres://u:100%hidden@db/pets', ENCODING],
  ['postgres://u:%E4hidden@db/pets', ENCODING],
  ['postgres://u:p@db/hidden%', ENCODING],
  ['postgres://hidden:hidden@one,,two/pets', SERVER],
  ['postgres://hidden:hidden@,one/pets', SERVER],
  ['postgres://hidden:hidden@one:port/pets', SERVER],
  ['postgres://hidden:hidden@one:99999/pets', SERVER],
  ['postgres://hidden:hidden@one,t wo/pets', WHITE_SPACE],
  ['postgres://hidden:hidden@[::1/pets', SERVER],
  ['postgres://hidden:hidden@::1/pets', SERVER],
  ['postgres://hidden:hidden@db/pets?target_session_attrs=any', ATTRIBUTES],
  ['postgres://hidden:hidden@db/pets?target_session_attrs=standby', ATTRIBUTES],
  ['postgres://hidden:hidden@db/pets?host=hidden', PARAMETERS],
  ['postgres://hidden:hidden@db/pets?port=1', PARAMETERS],
  ['postgres://hidden:hidden@db/pets?sslmode=verify-ca', /needs sslrootcert/],
  ['postgres://hidden:hidden@db/pets?sslmode=maybe', MODES],
  ['postgres://hidden:hidden@db/pets?sslmode=', MODES],
  // The driver would take it for verify-full.
  ['postgres://hidden:hidden@db/pets?sslmode=allow', MODES],
  ['postgres://hidden:hidden@db/pets?sslmode=require&sslmode=disable', /^has sslmode more than once\.$/],
  ['postgres://hidden:hidden@db/pets?sslnegotiation=maybe', /^must have one of postgres, direct as its sslnegotiation/],
  ['postgres://hidden:hidden@db/pets?sslnegotiation=direct&sslmode=disable', /^needs TLS for sslnegotiation=direct/],
  ['postgres://hidden:hidden@db/pets?ssl=false', /^must have one of true, 1, 0, no-verify as its ssl\.$/],
  ['postgres://hidden:hidden@db/pets?foo=hidden', UNKNOWN],
  ['postgres://hidden:hidden@db/pets?%20hidden=1', /^has an unknown parameter; allowed are /],
  // Each would replace a setting of Menagerie.
  ...['query_timeout', 'client_encoding', 'replication', 'channel_binding'].map(
    (name) => [`postgres://hidden:hidden@db/pets?${name}=hidden`, new RegExp(`unknown parameter, ${name};`)] as const,
  ),
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

  void it('refuses files that cannot be used, and names them', () => {
    const folder = import.meta.dirname;
    const cases = [
      [
        'sslrootcert=/none.pem',
        'has as sslrootcert the file /none.pem, which cannot be read: no such file or directory.',
      ],
      [`sslkey=${folder}`, `has as sslkey the file ${folder}, which cannot be read: illegal operation on a directory.`],
      [
        `sslmode=verify-full&sslrootcert=${import.meta.filename}`,
        `has as sslrootcert the file ${import.meta.filename}, which is no certificate in PEM format.`,
      ],
    ] as const;
    for (const [query, problem] of cases) assert.equal(readDatabaseUrl(`postgres://u:p@db/pets?${query}`), problem);
  });

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
    // Warnings are emitted in the next iteration.
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', record);
    assert.deepEqual(warnings, []);
  });
});
