import assert from 'node:assert/strict';
import { test } from 'node:test';
import { QueryClient } from '@tanstack/react-query';
import { findProfileFaults } from '../../src/api/web/account-checks.ts';
import { advisePassword } from '../../src/api/web/password-advice.ts';
import { readReturnAddress } from '../../src/api/web/page-addresses.ts';
import { nameProgram } from '../../src/api/web/user-agents.ts';

void test('return address: a path of this site only', () => {
  for (const to of ['/', '/pets/1', '/?text=a&tag=b#top', '/admin/users/user%3F10'])
    assert.equal(readReturnAddress(to), to);
  for (const to of [
    '//evil.example',
    '/\\evil.example',
    '/\t/evil.example',
    '/\n/evil.example',
    '/.//evil.example',
    '/pets/..//evil.example',
    '/%2e//evil.example',
    'https://evil.example/',
    'javascript:alert(1)',
    'pets/1',
    '',
    undefined,
    ['/pets/1'],
  ])
    assert.equal(readReturnAddress(to), undefined, String(to));
});

void test('password advice: every rule except the list of common passwords', () => {
  const secured = { access: 'secured', minPasswordLength: 15 } as const;
  assert.deepEqual(advisePassword(secured, '', 'edna'), { fault: 'too-short', missing: 15 });
  assert.deepEqual(advisePassword(secured, 'twelve pelican', 'edna'), { fault: 'too-short', missing: 1 });
  assert.deepEqual(advisePassword(secured, 'twelve pelicans', 'edna'), { fault: undefined, missing: 0 });
  assert.equal(advisePassword(secured, 'x'.repeat(40), 'edna').fault, 'guessable');
  assert.equal(advisePassword(secured, 'abcabcabcabcabcabc', 'edna').fault, 'guessable');
  assert.equal(advisePassword(secured, 'a longer user name', 'A longer user name').fault, 'guessable');
  assert.equal(advisePassword(secured, 'x y '.repeat(300), 'edna').fault, 'too-long');
  assert.equal(advisePassword({ access: 'open', minPasswordLength: 1 }, 'aaaa', 'edna').fault, undefined);
});

void test('profile: each field is validated with the schema of the service', () => {
  assert.deepEqual(findProfileFaults({ username: 'user?10', email: 'a@b.example', phone: '' }), {});
  assert.deepEqual(findProfileFaults({ username: '' }), { username: 'missing' });
  assert.deepEqual(findProfileFaults({ username: 'a/b' }), { username: 'malformed' });
  assert.deepEqual(findProfileFaults({ username: 'Login' }), { username: 'reserved' });
  assert.deepEqual(findProfileFaults({ username: 'ä'.repeat(64).normalize('NFD') }), {});
  assert.deepEqual(findProfileFaults({ username: '🐾'.repeat(65) }), { username: 'malformed' });
  assert.deepEqual(findProfileFaults({ username: 'edna', firstName: 'x'.repeat(256), phone: 'y'.repeat(256) }), {
    firstName: 'malformed',
    phone: 'malformed',
  });
});

void test('user agents: the common names of programs and systems', () => {
  const names: [userAgent: string | undefined, name: ReturnType<typeof nameProgram>][] = [
    [undefined, undefined],
    [' ', undefined],
    ['curl/8.5.0', { program: 'curl', system: undefined }],
    ['Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0', { program: 'Firefox', system: 'Linux' }],
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 ' +
        'Safari/537.36 Edg/126.0.0.0',
      { program: 'Edge', system: 'Windows' },
    ],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) ' +
        'Version/17.5 Mobile/15E148 Safari/604.1',
      { program: 'Safari', system: 'iPhone' },
    ],
    [
      'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Mobile ' +
        'Safari/537.36',
      { program: 'Chrome', system: 'Android' },
    ],
  ];
  for (const [userAgent, name] of names) assert.deepEqual(nameProgram(userAgent), name, String(userAgent));
});

void test('logout: deletes the cached data of the user', async () => {
  // The modules of the application read the bootstrap data from the document.
  Object.assign(globalThis, { document: { getElementById: () => null, querySelector: () => null } });
  const { setCurrentUser, currentUserQuery } = await import('../../src/web/service/current-user.ts');
  const queries = new QueryClient();
  const edna = { username: 'edna', role: 'editor' } as const;
  const isKept = () => queries.getQueryData(['account', 'profile']) !== undefined;
  setCurrentUser(queries, edna);
  queries.setQueryData(['account', 'profile'], { username: 'edna', email: 'edna@example.com' });
  setCurrentUser(queries, { ...edna, role: 'admin' });
  assert.ok(isKept());
  setCurrentUser(queries, null);
  assert.ok(!isKept());
  assert.equal(queries.getQueryData(currentUserQuery.queryKey), null);
  queries.clear();
});
