import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { describe, it } from 'node:test';
import { readConfig } from '../../src/server/configuration/config.ts';
import { settingsHelp } from '../../src/server/configuration/settings-help.ts';
import { explainUnknownNames } from '../../src/server/configuration/setting-sources.ts';
import { SETTINGS, variableOf } from '../../src/server/configuration/settings.ts';
import { configOf, problemsOf, type Environment } from '../support/read-config.ts';

const contactOf = (text: string) => configOf(['--security-contact', text]).http.securityContact;
const listenOf = (text: string, ...args: string[]) => configOf(['--metrics-listen', text, ...args]).metricsListen;

void describe('configuration', () => {
  void it('defaults: are safe', () => {
    const config = configOf([]);
    assert.deepEqual([config.host, config.port, config.http.access], ['127.0.0.1', 8080, 'open']);
    assert.equal(config.dataDir, resolve('data'));
    assert.deepEqual([config.empty, config.synonymsFile], [false, undefined]);
    assert.deepEqual(
      [config.http.maxBodyBytes, config.http.maxPhotoBytes, config.http.maxPhotoPixels],
      [2 ** 20, 10 * 2 ** 20, 40e6],
    );
    assert.deepEqual([config.sessions.idleMs, config.sessions.lifetimeMs], [24 * 3_600_000, 30 * 24 * 3_600_000]);
    assert.deepEqual([config.sessions.requestsPerHour, config.http.trustedProxies], [10_000_000, 0]);
    assert.deepEqual([config.signUp, config.passwordMinLength], [true, 15]);
    assert.deepEqual([config.auditRetentionMs, config.databaseConnections], [365 * 24 * 3_600_000, 10]);
    assert.equal(config.http.publicUrl, undefined);
    assert.deepEqual(config.http.corsOrigins, []);
    for (const [name, value] of Object.entries(config.http))
      if (name.endsWith('Ms')) assert.ok(Number(value) > 0, name);
    assert.ok(config.stopTimeoutMs <= 24_000, 'a stop has to end within 25 seconds');
  });

  void it('flags and variables: the flag wins', () => {
    const environment = {
      MENAGERIE_PORT: '1',
      MENAGERIE_DATA_DIR: '/elsewhere',
      MENAGERIE_HOST: '::1',
      MENAGERIE_EMPTY: 'true',
    };
    const fromVariables = configOf([], environment);
    assert.deepEqual(
      [fromVariables.port, fromVariables.dataDir, fromVariables.host, fromVariables.empty],
      [1, resolve('/elsewhere'), '::1', true],
    );
    const both = configOf(['--port', '2', '--data-dir=here', '--host', 'localhost'], environment);
    assert.deepEqual([both.port, both.dataDir, both.host], [2, resolve('here'), 'localhost']);
  });

  void it('--smtp-url: requires a sender and the URL to which links lead', () => {
    const rest = ['--mail-from', 'pets@example.org', '--public-url', 'https://pets.example.org/zoo/'];
    const url = 'smtps://ada:marzipan@mail.example.org';
    assert.equal(configOf(rest).mail, undefined);
    const { mail, settings } = configOf(['--smtp-url', url, ...rest]);
    assert.deepEqual([mail?.from, mail?.publicUrl], ['pets@example.org', 'https://pets.example.org/zoo']);
    assert.deepEqual(mail?.smtp.auth, { user: 'ada', pass: 'marzipan' });
    assert.doesNotMatch(JSON.stringify(settings), /marzipan/);
    assert.match(problemsOf(['--smtp-url', url, ...rest.slice(2)]).join(), /requires --mail-from/);
    assert.match(problemsOf(['--smtp-url', url, ...rest.slice(0, 2)]).join(), /requires --public-url/);
    const wrong = problemsOf(['--smtp-url', 'https://ada:marzipan@mail.example.org', ...rest]).join();
    assert.match(wrong, /--smtp-url .* must be a URL such as smtps:/);
    assert.doesNotMatch(wrong, /marzipan/);
    for (const from of ['pets', 'Pets <pets@example.org>', 'a@example.org,b@example.org', 'a@example.org\r\nBcc: b@x'])
      assert.match(problemsOf(['--smtp-url', url, '--mail-from', from]).join(), /must be a plain e-mail address/, from);
  });

  void it('--secret-key: long enough, and never displayed', () => {
    const key = 'marzipan '.repeat(4);
    const { secretKey, settings } = configOf(['--secret-key', key]);
    assert.equal(secretKey, key);
    assert.doesNotMatch(JSON.stringify(settings), /marzipan/);
    const problems = problemsOf(['--secret-key', 'marzipan']).join();
    assert.match(problems, /must have at least 32 characters/);
    assert.doesNotMatch(problems, /marzipan/);
  });

  void it('--metrics-listen: a port of the loopback address, or an address and a port', () => {
    assert.equal(configOf([]).metricsListen, undefined);
    assert.deepEqual(listenOf('9464'), { host: '127.0.0.1', port: 9464 });
    assert.deepEqual(listenOf('[::1]:9464'), { host: '::1', port: 9464 });
    assert.deepEqual(listenOf('10.0.0.5:9464', '--access', 'secured'), { host: '10.0.0.5', port: 9464 });
    for (const text of ['x', '10.0.0.5', '10.0.0.5:', ':9464', '127.0.0.1:70000', 'user@host:1', 'http://host:1'])
      assert.match(problemsOf(['--metrics-listen', text]).join(), /must be an address and a port such as/, text);
    assert.match(problemsOf(['--metrics-listen', '0.0.0.0:9464']).join(), /must be a loopback address in open access/);
  });

  void it('--security-contact: an e-mail address or an https URL, as a URI', () => {
    assert.equal(configOf([]).http.securityContact, undefined);
    assert.equal(contactOf('security@pets.example'), 'mailto:security@pets.example');
    assert.equal(contactOf('mailto:a.b+c@pets.example'), 'mailto:a.b+c@pets.example');
    assert.equal(contactOf('https://pets.example/security'), 'https://pets.example/security');
    for (const text of [
      'x',
      'http://pets.example',
      'a@b\nExpires: never',
      'https://a b',
      'https://pets.example/\nx',
      '@b',
      'a@',
    ])
      assert.match(problemsOf(['--security-contact', text]).join(), /must be an e-mail address, or a URL/, text);
  });

  void it('--synonyms: is a path from the working directory', () => {
    assert.equal(configOf(['--synonyms', 'own.json']).synonymsFile, resolve('own.json'));
    assert.equal(configOf([], { MENAGERIE_SYNONYMS: '/srv/own.json' }).synonymsFile, resolve('/srv/own.json'));
  });

  void it('--ephemeral: excludes settings that need a disk', () => {
    assert.equal(configOf([]).isEphemeral, false);
    assert.equal(configOf(['--ephemeral']).isEphemeral, true);
    assert.equal(configOf([], { MENAGERIE_EPHEMERAL: 'true', MENAGERIE_DATA_DIR: '/data' }).isEphemeral, true);
    assert.match(problemsOf(['--ephemeral', '--data-dir', '/data'])[0] ?? '', /^--ephemeral .* excludes --data-dir/);
    const environment = {
      MENAGERIE_DATABASE_URL: 'postgres://me@localhost/pets',
      MENAGERIE_PHOTOS_URL: 's3://bucket?region=here',
      MENAGERIE_ACCESS: 'secured',
    };
    const problems = problemsOf(['--ephemeral'], environment);
    for (const [index, name] of ['database-url', 'photos-url', 'access'].entries())
      assert.match(problems[index] ?? '', new RegExp(`--ephemeral .*--${name}`));
    assert.equal(problems.length, 3);
  });

  void it('--no-sign-up: disables sign-up', () => {
    assert.equal(configOf(['--no-sign-up']).signUp, false);
    assert.equal(configOf([], { MENAGERIE_NO_SIGN_UP: 'true' }).signUp, false);
    assert.equal(configOf([], { MENAGERIE_NO_SIGN_UP: 'false' }).signUp, true);
    for (const value of ['yes', '1', 'TRUE', ''])
      assert.equal(problemsOf([], { MENAGERIE_NO_SIGN_UP: value }).length, 1, value);
  });

  void it('settings of secured access: are read from flags and variables', () => {
    const { http, passwordMinLength, auditRetentionMs } = configOf(['--access', 'secured', '--trusted-proxies', '2'], {
      MENAGERIE_ACCESS: 'sandbox',
      MENAGERIE_PASSWORD_MIN_LENGTH: '8',
      MENAGERIE_AUDIT_RETENTION_DAYS: '3',
    });
    assert.deepEqual([http.access, http.trustedProxies, passwordMinLength], ['secured', 2, 8]);
    assert.equal(auditRetentionMs, 3 * 24 * 3_600_000);
  });

  void it('daily backups: have a place, a time and a number to keep', () => {
    assert.equal(configOf(['--backup-at', '04:30']).backup, undefined);
    assert.deepEqual(configOf(['--backup-to', '/mnt/backups']).backup, {
      to: { folder: '/mnt/backups' },
      atMinute: 180,
      keep: 7,
    });
    const { backup } = configOf(['--backup-at', '23:59', '--backup-keep', '30'], {
      MENAGERIE_BACKUP_TO: 's3://backups/pets?region=here',
    });
    assert.ok(backup !== undefined && 'bucket' in backup.to);
    assert.deepEqual([backup.to.bucket.prefix, backup.atMinute, backup.keep], ['pets', 1439, 30]);
    for (const time of ['24:00', '3:00', '03:60', '', 'noon'])
      assert.equal(problemsOf([`--backup-at=${time}`]).length, 1);
    assert.equal(problemsOf(['--backup-keep', '0']).length, 1);
    assert.equal(problemsOf(['--backup-to', 's3://x']).length, 1);
    assert.match(problemsOf(['--ephemeral', '--backup-to', '/b'])[0] ?? '', /^--ephemeral .* excludes --backup-to/);
  });

  void it('invalid variable: is ignored if its flag is set', () => {
    assert.equal(configOf(['--port', '2'], { MENAGERIE_PORT: 'secret' }).port, 2);
  });

  void it('help: contains every flag, and every flag has a variable', () => {
    const flags = [...settingsHelp().matchAll(/^ {2}--([a-z-]+)/gm)].map(([, flag]) => flag ?? '');
    assert.ok(flags.length > 15);
    for (const flag of flags) {
      const variable = `MENAGERIE_${flag.toUpperCase().replaceAll('-', '_')}`;
      const result = readConfig([], { [variable]: '\u0000nonsense' });
      assert.ok('problems' in result, `${variable} is read`);
      assert.equal(result.problems.length, 1, result.problems.join('\n'));
      assert.ok(result.problems[0]?.includes(`--${flag} (${variable})`));
    }
  });

  void it('result: is frozen', () => {
    const config = configOf(['--cors-origins', 'https://a.example']);
    assert.ok(Object.isFrozen(config) && Object.isFrozen(config.http) && Object.isFrozen(config.http.corsOrigins));
  });

  void it('--host: accepts IPv6 addresses with and without brackets', () => {
    assert.deepEqual([configOf(['--host', '[::1]']).host, configOf(['--host', '::1']).host], ['::1', '::1']);
  });

  void it('--public-url: keeps the path without its trailing slash', () => {
    assert.equal(configOf(['--public-url', 'https://example.org/zoo/']).http.publicUrl, 'https://example.org/zoo');
    assert.equal(configOf(['--public-url', 'https://example.org']).http.publicUrl, 'https://example.org');
  });

  void it('--cors-origins: accepts several origins', () => {
    const { corsOrigins } = configOf(['--cors-origins', 'https://a.example, http://localhost:5173']).http;
    assert.deepEqual(corsOrigins, ['https://a.example', 'http://localhost:5173']);
  });

  void it('--log-format auto: pretty on a terminal, otherwise JSON', () => {
    assert.equal(configOf([], {}, true).logFormat, 'pretty');
    assert.equal(configOf([], {}, false).logFormat, 'json');
    assert.equal(configOf(['--log-format', 'json'], {}, true).logFormat, 'json');
  });
});

void describe('configuration problems', () => {
  const nonsense: Environment = {
    MENAGERIE_PORT: 'hunter2',
    MENAGERIE_MAX_BODY_BYTES: '-1',
    MENAGERIE_LOG_LEVEL: 'hunter3',
    MENAGERIE_PUBLIC_URL: 'ftp://hunter4@example.org',
    MENAGERIE_CORS_ORIGINS: 'https://user:hunter5@example.org',
    MENAGERIE_EMPTY: 'hunter6',
    MENAGERIE_DRAIN_SECONDS: '3601',
    MENAGERIE_HOST: 'hunter7.example.org',
    MENAGERIE_DATA_DIR: '',
  };

  void it('invalid variables: are all reported, by name and never by value', () => {
    const problems = problemsOf([], nonsense);
    assert.equal(problems.length, Object.keys(nonsense).length);
    for (const name of Object.keys(nonsense)) {
      const found = problems.filter((problem) => problem.includes(`(${name})`));
      assert.equal(found.length, 1, name);
    }
    assert.doesNotMatch(problems.join('\n'), /hunter|3601|ftp/);
  });

  void it('invalid flags and variables: are all reported', () => {
    const problems = problemsOf(['--port', 'hunter2', '--log-level=hunter3'], { MENAGERIE_EMPTY: 'hunter4' });
    assert.equal(problems.length, 3);
    assert.doesNotMatch(problems.join('\n'), /hunter/);
  });

  void it('unknown flags: are reported together with invalid ones', () => {
    const problems = problemsOf(['--prot', '1', '--port', 'hunter2', '--colour']).join('\n');
    assert.match(problems, /^Unknown option --prot\. Did you mean --port\?$/m);
    assert.match(problems, /--port \(MENAGERIE_PORT\)/);
    assert.match(problems, /^Unknown option --colour\. See --help\.$/m);
  });

  const misspelt: [args: string[], problem: string][] = [
    [['--prot', '9000'], 'Unknown option --prot. Did you mean --port?'],
    [['--prot=9000'], 'Unknown option --prot. Did you mean --port?'],
    [['-port', '9000'], 'Unknown option -port. Did you mean --port?'],
    [['--dataDir=/srv'], 'Unknown option --dataDir. Did you mean --data-dir?'],
    [['--data_dir', '/srv'], 'Unknown option --data_dir. Did you mean --data-dir?'],
    [['--trust-proxy', '1'], 'Unknown option --trust-proxy. Did you mean --trusted-proxies?'],
    [['--databse-url=postgres://me:hunter2@db/pets'], 'Unknown option --databse-url. Did you mean --database-url?'],
    // Nothing that may be a secret is repeated.
    [['-phunter2'], 'Unknown option -p. See --help.'],
    [['--postgres://me:hunter2@db/pets'], 'Unknown option. See --help.'],
    [['--port'], '--port needs a value.'],
    [['--port', '--empty'], '--port needs a value.'],
    [['--port', '-1'], '--port (MENAGERIE_PORT) must be a whole number from 0 to 65535.'],
    [['--empty=hunter2'], '--empty takes true, false or no value.'],
    [['hunter2'], 'Unexpected argument: all settings are options such as --port 9000. See --help.'],
  ];
  for (const [args, problem] of misspelt) {
    void it(`${args.join(' ')}: is refused with one sentence`, () => assert.deepEqual(problemsOf(args), [problem]));
  }

  void it('switches: have a value if one is given', () => {
    assert.deepEqual([configOf(['--empty']).empty, configOf(['--empty=false']).empty], [true, false]);
  });

  void it('unexpected arguments: are not repeated', () => {
    assert.doesNotMatch(problemsOf(['--log-level', 'info', 'hunter2']).join('\n'), /hunter2/);
    assert.doesNotMatch(problemsOf(['--empty=hunter2']).join('\n'), /hunter2/);
  });

  void it('each problem: is one line', () => {
    for (const args of [['--host', '--port', '1'], ['--port'], ['--nope'], ['-x'], ['more'], ['--empty=1']]) {
      for (const problem of problemsOf(args)) assert.match(problem, /^[^\n]+[^.]\.$/);
    }
  });

  const hosts = [
    '0.0.0.0',
    '[::]',
    '',
    'example.org',
    '127.0.0.1.example.org',
    '1127.0.0.1',
    '128.0.0.1',
    '::ffff:127.0.0.1',
  ];
  for (const host of hosts) {
    void it(`--host ${host === '' ? '(empty)' : host} in open access: is refused`, () => {
      const [problem, ...others] = problemsOf(['--host', host]);
      assert.deepEqual(others, []);
      assert.match(problem ?? '', /--host \(MENAGERIE_HOST\).*loopback.*open access/);
    });
  }

  const edges: [flag: string, good: string[], bad: string[]][] = [
    ['--port', ['0', '65535'], ['65536', '-1', '1.5', '', ' 80', '0x50', '1e3', '٣']],
    ['--max-body-bytes', ['1024', '1073741824'], ['1023', '1073741825']],
    ['--max-event-streams-per-address', ['1'], ['0']],
    ['--drain-seconds', ['0', '3600'], ['3601', '-1', '']],
    ['--trusted-proxies', ['0', '16'], ['17', '-1', 'true', '']],
    ['--password-min-length', ['8', '64'], ['7', '65', '0', '']],
    ['--audit-retention-days', ['1', '36500'], ['0', '36501', 'ever', '9'.repeat(30)]],
    [
      '--public-url',
      ['http://x', 'https://x/y', 'https://x/y.z~/%C3%B6/'],
      [
        'x',
        '/y',
        'ftp://x',
        'https://x//y',
        'https://x/y;z',
        "https://x/y'z",
        'https://x/?q=1',
        'https://x/#f',
        'https://u@x',
        'https://:p@x',
      ],
    ],
    ['--require-second-factor', ['', 'admin', 'editor, admin'], ['root', 'Admin']],
    ['--cors-origins', ['https://x'], ['*', 'null', 'https://x/y', 'https://x,,https://y', ',', 'https://:p@x']],
  ];
  for (const [flag, good, bad] of edges) {
    void it(`${flag}: accepts its limits and refuses values beyond them`, () => {
      for (const value of good) configOf([`${flag}=${value}`]);
      for (const value of bad) assert.equal(problemsOf([`${flag}=${value}`]).length, 1, value);
    });
  }

  void it('--host in secured and sandbox access: accepts every address', () => {
    for (const mode of ['secured', 'sandbox']) {
      for (const host of ['0.0.0.0', '::', '192.168.1.20', 'pets.example.org'])
        assert.equal(configOf(['--access', mode, '--host', host]).http.access, mode);
    }
  });

  void it('--host: must be an address or a name', () => {
    for (const host of ['', 'a b', 'http://localhost', 'localhost:80', '[::1', '-x.example.org'])
      assert.deepEqual(problemsOf(['--access', 'sandbox', `--host=${host}`]), [
        '--host (MENAGERIE_HOST) must be an IP address or a host name.',
      ]);
  });

  void it('certificates of OpenTelemetry: must be readable if traces are sent', () => {
    const files = { OTEL_EXPORTER_OTLP_CERTIFICATE: '/none', OTEL_EXPORTER_OTLP_TRACES_CLIENT_KEY: '/' };
    configOf([], files);
    assert.deepEqual(problemsOf([], { ...files, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318' }), [
      'The file of OTEL_EXPORTER_OTLP_CERTIFICATE cannot be read: no such file or directory.',
      'The file of OTEL_EXPORTER_OTLP_TRACES_CLIENT_KEY cannot be read: it is a folder, not a file.',
    ]);
  });

  void it('--data-dir, --synonyms, --config: are no URLs, which may have passwords', () => {
    for (const name of ['data-dir', 'synonyms', 'config'] as const)
      assert.deepEqual(problemsOf([`--${name}`, 'postgres://me:hunter2@db/pets']), [
        `--${name} (${variableOf(name)}) must be a path, and not a URL.`,
      ]);
  });

  void it('--backup-to: takes an incomplete URL for no folder', () => {
    for (const place of ['s3:bucket', 's3:/bucket', 'S3:bucket/prefix'])
      assert.deepEqual(problemsOf(['--backup-to', place]), [
        '--backup-to (MENAGERIE_BACKUP_TO): The URL of a bucket must begin with s3://.',
      ]);
    assert.deepEqual(configOf(['--backup-to', './s3']).backup?.to, { folder: resolve('s3') });
  });

  void it('unknown access mode: is refused', () => {
    for (const mode of ['secure', 'Secured', 'SANDBOX', 'closed', 'secured ', 'none', '', 'true']) {
      const problems = problemsOf([`--access=${mode}`]);
      assert.equal(problems.length, 1, mode);
      assert.match(problems[0] ?? '', /^--access \(MENAGERIE_ACCESS\) must be one of open, secured, sandbox\.$/);
    }
  });
});

void describe('unknown environment variables', () => {
  void it('message: names the nearest known variable, without values', () => {
    const meant: Record<string, string> = {
      MENAGERIE_ACESS: 'MENAGERIE_ACCESS',
      MENAGERIE_DATADIR: 'MENAGERIE_DATA_DIR',
      MENAGERIE_DATA_FOLDER: 'MENAGERIE_DATA_DIR',
      MENAGERIE_LOGLEVEL: 'MENAGERIE_LOG_LEVEL',
      MENAGERIE_BACKUP_PASSPHRASE: 'MENAGERIE_BACKUP_PASSPHRASE_FILE',
      menagerie_port: 'MENAGERIE_PORT',
    };
    const environment = Object.fromEntries(Object.keys(meant).map((name) => [name, 'hunter2']));
    assert.deepEqual(
      explainUnknownNames(environment),
      Object.entries(meant).map(
        ([name, known]) => `The environment variable ${name} is unknown and ignored. Did you mean ${known}?`,
      ),
    );
    assert.deepEqual(explainUnknownNames({ MENAGERIE_COLOUR: 'hunter2' }), [
      'The environment variable MENAGERIE_COLOUR is unknown and ignored.',
    ]);
  });

  void it('known variables and those of other programs: are not reported', () => {
    const names = [
      ...SETTINGS.map(({ name }) => variableOf(name)),
      'MENAGERIE_URL',
      'MENAGERIE_KEY',
      'MENAGERIE_BACKUP_PASSPHRASE_FILE',
      'PATH',
      'MENAGERIES',
    ];
    assert.deepEqual(explainUnknownNames(Object.fromEntries(names.map((name) => [name, 'x']))), []);
  });
});
