import assert from 'node:assert/strict';
import { test } from 'node:test';
import { errorFields } from '../../src/server/log/log.ts';

void test('logged error: has known fields only, also of its causes', () => {
  const cause = Object.assign(new TypeError('Invalid URL'), { code: 'ERR_INVALID_URL', input: '//?password=hunter2' });
  const error = Object.assign(new Error('failed', { cause }), { detail: 'Key (name)=(hunter2) exists', errno: -2 });
  const fields = errorFields(error);
  assert.doesNotMatch(JSON.stringify(fields), /hunter2/);
  assert.deepEqual(JSON.parse(JSON.stringify({ ...fields, stack: '', cause: { ...errorFields(cause), stack: '' } })), {
    type: 'Error',
    message: 'failed',
    errno: -2,
    stack: '',
    cause: { type: 'TypeError', message: 'Invalid URL', code: 'ERR_INVALID_URL', stack: '' },
  });
  assert.deepEqual(errorFields('a text'), { message: 'a text' });
});
