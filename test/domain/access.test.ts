import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  ACCESS_MODES,
  ACTIONS,
  createAccess,
  mayRole,
  mayUseScope,
  ROLES,
  type Access,
  type AccessMode,
  type Action,
  type Actor,
  type Factor,
  type KeyHolder,
  type LoggedIn,
  type Role,
  type Scope,
} from '../../src/domain/access.ts';
import { Failure } from '../../src/domain/failure.ts';
import { testSession } from '../support/changes.ts';

type Outcome = 'yes' | 401 | 403;

function outcomeOf(access: Access, actor: Actor, action: Action, ownAccount?: boolean): Outcome {
  try {
    access(actor, action, ownAccount);
    return 'yes';
  } catch (error) {
    assert.ok(error instanceof Failure);
    assert.ok(error.code === 'unauthenticated' || error.code === 'forbidden');
    return error.code === 'unauthenticated' ? 401 : 403;
  }
}

const holder = (role: Role) => ({ address: '192.0.2.1', userId: 1n, username: role, role });

function sessionOf(role: Role): Actor {
  return { kind: 'signed-in', ...holder(role), session: testSession({ id: 'id', digest: 'digest', startedAtMs: 0 }) };
}

function key(role: Role, ...scopes: Scope[]): KeyHolder {
  return { kind: 'key', ...holder(role), keyId: 'id', isAccessToken: false, scopes };
}

function writingKeyOf(role: Role): `${Role}'s key that may write` {
  return `${role}'s key that may write`;
}

function sessionWith(role: Role, ...factors: Factor[]): LoggedIn {
  const session = testSession({ id: 'id', digest: 'digest', startedAtMs: 0 });
  return { kind: 'signed-in', ...holder(role), session: { ...session, proof: { factors } } };
}

const SESSIONS = Object.fromEntries(ROLES.map((role) => [role, sessionOf(role)])) as Record<Role, Actor>;

const WRITING_KEYS = Object.fromEntries(ROLES.map((role) => [writingKeyOf(role), key(role, 'write:pets')])) as Record<
  ReturnType<typeof writingKeyOf>,
  Actor
>;

const ACTORS = {
  anonymous: { kind: 'anonymous', address: '192.0.2.1' },
  ...SESSIONS,
  ...WRITING_KEYS,
  "admin's key with both scopes": key('admin', 'read:pets', 'write:pets'),
  "admin's key that may read": key('admin', 'read:pets'),
  "admin's key that may read metrics": key('admin', 'read:metrics'),
  "editor's key that may read metrics": key('editor', 'read:metrics'),
  "admin's key without a scope": key('admin'),
  operator: { kind: 'operator', name: 'root' },
} as const satisfies Record<string, Actor>;

type ActorName = keyof typeof ACTORS;

const NAMES = Object.keys(ACTORS) as readonly ActorName[];
const actors: readonly Actor[] = Object.values(ACTORS);

interface Row {
  action: Action;
  own: readonly Outcome[];
  /** The account of another user, or no particular account. */
  other: readonly Outcome[];
}

/** Allows the operator and these actors. Other sessions are forbidden; anything else is unauthenticated. */
function onlyFor(...allowed: readonly ActorName[]): readonly Outcome[] {
  return NAMES.map((name) => {
    if (name === 'operator' || allowed.includes(name)) return 'yes';
    return ACTORS[name].kind === 'signed-in' ? 403 : 401;
  });
}

/** Sessions of these roles, and their keys with write scope. */
function onlyForRoles(...roles: readonly Role[]): readonly Outcome[] {
  const more = roles.includes('admin') ? (["admin's key with both scopes"] as const) : [];
  return onlyFor(...roles, ...roles.map(writingKeyOf), ...more);
}

const everyone = onlyFor(...NAMES);
const editors = onlyForRoles('editor', 'admin');
const users = onlyFor(...ROLES);
const admins = onlyFor('admin');
const metrics = onlyFor('admin', "admin's key that may read metrics");

/** The same in every mode. */
const always: readonly Row[] = [
  { action: 'change trusted account', own: users, other: admins },
  { action: 'use own account', own: users, other: users },
  { action: 'set up factors', own: users, other: users },
  { action: 'handle enquiries', own: onlyFor('editor', 'admin'), other: onlyFor('editor', 'admin') },
  { action: 'administer', own: admins, other: admins },
];

const secured: readonly Row[] = [
  { action: 'write pets', own: editors, other: editors },
  { action: 'sign up', own: everyone, other: everyone },
  { action: 'create users', own: admins, other: admins },
  { action: 'use account', own: users, other: admins },
  { action: 'create playgrounds', own: admins, other: admins },
  { action: 'read metrics', own: metrics, other: metrics },
  ...always,
];

const unguarded: readonly Row[] = secured.map((row) =>
  always.includes(row) ? row : { ...row, own: everyone, other: everyone },
);

const tables: Readonly<Record<AccessMode, readonly Row[]>> = { open: unguarded, secured, sandbox: unguarded };

void describe('access', () => {
  for (const mode of ACCESS_MODES) {
    for (const { action, own, other } of tables[mode]) {
      void it(`"${action}" follows docs/rules.md in ${mode} mode`, () => {
        const access = createAccess({ mode, signUp: true });
        const outcomes = (ownAccount?: boolean) => actors.map((actor) => outcomeOf(access, actor, action, ownAccount));
        assert.deepEqual(outcomes(true), own, 'own account');
        assert.deepEqual(outcomes(false), other, 'account of another user');
        assert.deepEqual(outcomes(), other, 'account not specified');
      });
    }

    void it(`decides every action in ${mode} mode`, () => {
      assert.deepEqual(tables[mode].map(({ action }) => action).toSorted(), ACTIONS.toSorted());
    });

    void it(`closing sign-up changes nothing else in ${mode} mode`, () => {
      const access = createAccess({ mode, signUp: false });
      for (const { action, own, other } of tables[mode]) {
        const closed = action === 'sign up' && mode === 'secured';
        for (const [ownAccount, expected] of [
          [true, own],
          [false, other],
        ] as const) {
          const outcomes = actors.map((actor) => outcomeOf(access, actor, action, ownAccount));
          assert.deepEqual(outcomes, closed ? admins : expected, action);
        }
      }
    });

    void it(`reports refusals of known actors only in ${mode} mode`, () => {
      const refused: [Actor, Action][] = [];
      const onRefused = (actor: Actor, action: Action) => refused.push([actor, action]);
      const access = createAccess({ mode, signUp: false, onRefused });
      const expected: [Actor, Action][] = [];
      for (const { action } of tables[mode]) {
        for (const actor of actors) {
          for (const ownAccount of [true, false]) {
            const outcome = outcomeOf(access, actor, action, ownAccount);
            if (outcome !== 'yes' && actor.kind !== 'anonymous') expected.push([actor, action]);
          }
        }
      }
      assert.ok(expected.length > 20);
      assert.deepEqual(refused, expected);
    });
  }

  void it('a role that requires a second factor: a session without one may only set it up', () => {
    const wanted = ['set up factors', 'sign up'];
    for (const [actor, isRestricted] of [
      [sessionWith('editor', 'password'), true],
      [sessionWith('editor', 'provider'), true],
      [sessionWith('editor', 'provider', 'provider-second-factor'), false],
      [sessionWith('editor', 'password', 'totp'), false],
      [sessionWith('editor', 'password', 'recovery-code'), false],
      [sessionWith('editor', 'passkey'), false],
      [sessionWith('viewer', 'password'), false],
      [key('editor', 'write:pets'), false],
    ] as const) {
      const secondFactor = { roles: ['editor'] } as const;
      const access = createAccess({ mode: 'secured', signUp: true, secondFactor });
      const usual = createAccess({ mode: 'secured', signUp: true });
      for (const action of ACTIONS) {
        const allowed = outcomeOf(usual, actor, action, true);
        const expected = isRestricted && allowed === 'yes' && !wanted.includes(action) ? 403 : allowed;
        assert.equal(outcomeOf(access, actor, action, true), expected, `${actor.kind} ${action}`);
      }
    }
  });

  void it('mayRole: agrees with sessions of the role', () => {
    for (const mode of ACCESS_MODES) {
      const access = createAccess({ mode, signUp: true });
      for (const action of ACTIONS) {
        assert.equal(mayRole(undefined, action, mode), outcomeOf(access, ACTORS.anonymous, action) === 'yes', action);
        for (const role of ROLES)
          assert.equal(mayRole(role, action, mode), outcomeOf(access, sessionOf(role), action) === 'yes', action);
      }
    }
  });

  void it('mayUseScope: agrees with keys of the role', () => {
    const access = createAccess({ mode: 'secured', signUp: true });
    for (const role of ROLES) {
      assert.ok(mayUseScope(role, 'read:pets'));
      for (const scope of ['write:pets', 'read:metrics'] as const) {
        const isUsable = ACTIONS.some((action) => {
          const outcome = outcomeOf(access, key(role, scope), action);
          return outcome === 'yes' && outcome !== outcomeOf(access, key(role), action);
        });
        assert.equal(mayUseScope(role, scope), isUsable, `${role} ${scope}`);
      }
    }
  });

  void it('a refused key: names the missing scope, or advises to log in where no scope suffices', () => {
    const access = createAccess({ mode: 'secured', signUp: true });
    assert.throws(() => access(key('admin', 'read:pets'), 'write pets'), /write:pets/);
    assert.throws(() => access(key('admin', 'write:pets'), 'administer'), /[Ll]og in/);
  });
});
