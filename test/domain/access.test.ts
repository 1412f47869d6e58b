import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ANONYMOUS, createAccess, ROLES, type Access, type Action, type Actor } from '../../src/domain/access.ts';
import { Failure } from '../../src/domain/failure.ts';

type Answer = 'yes' | 401 | 403;

function answerOf(access: Access, actor: Actor, action: Action, ownAccount?: boolean): Answer {
  try {
    access(actor, action, ownAccount);
    return 'yes';
  } catch (error) {
    assert.ok(error instanceof Failure);
    assert.ok(error.code === 'unauthenticated' || error.code === 'forbidden');
    return error.code === 'unauthenticated' ? 401 : 403;
  }
}

const actors: readonly Actor[] = [
  ANONYMOUS,
  ...ROLES.map((role) => ({ kind: 'signed-in' as const, userId: 1n, username: role, role })),
];

// The table of CONTRACT, section 5, as far as its actions exist: anonymous, viewer, editor, admin.
const table: { operations: string; action: Action; ownAccount?: boolean; answers: Answer[] }[] = [
  { operations: '1, 2, 6, 7, 8', action: 'write pets', answers: [401, 403, 'yes', 'yes'] },
  { operations: '10, 11', action: 'create users', answers: [401, 403, 403, 'yes'] },
  {
    operations: '14, 15, 16, own account',
    action: 'use account',
    ownAccount: true,
    answers: [401, 'yes', 'yes', 'yes'],
  },
  { operations: '14, 15, 16, of another', action: 'use account', ownAccount: false, answers: [401, 403, 403, 'yes'] },
  { operations: '14, 15, 16, not said whose', action: 'use account', answers: [401, 403, 403, 'yes'] },
];

void describe('access', () => {
  for (const { operations, action, ownAccount, answers } of table) {
    void it(`to operations ${operations} is as the contract says, in secured mode`, () => {
      const access = createAccess('secured');
      assert.deepEqual(
        actors.map((actor) => answerOf(access, actor, action, ownAccount)),
        answers,
      );
    });

    for (const mode of ['open', 'sandbox'] as const) {
      void it(`to operations ${operations} has everybody, in ${mode} mode`, () => {
        const access = createAccess(mode);
        assert.deepEqual(
          actors.map((actor) => answerOf(access, actor, action, ownAccount)),
          ['yes', 'yes', 'yes', 'yes'],
        );
      });
    }
  }
});
