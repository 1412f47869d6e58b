import type { Stamp } from '../../src/domain/audit.ts';
import type { DatabaseStores } from '../../src/storage/rows/stores/stores.ts';
import {
  createKey,
  createUsers,
  editPet,
  issueReset,
  newAccount,
  photo,
  putPet,
  removePet,
  restorePet,
  revokeKey,
  completedStep,
} from '../support/changes.ts';

/*
 * One change of each kind that has a stamp, of every store: the compiler demands a row for a new kind. A row is a
 * change that a store must refuse if the credential of its stamp has ended, whatever else is wrong with it, or the
 * reason why it has no such credential.
 */

type ChangeOf<Name extends keyof DatabaseStores> = DatabaseStores[Name] extends { apply(change: infer C): unknown }
  ? C
  : never;

type Stamped<Name extends keyof DatabaseStores> = Extract<ChangeOf<Name>, { kind: string; stamp: Stamp }>;

type StampedStore = {
  [Name in keyof DatabaseStores]-?: [Stamped<Name>] extends [never] ? never : Name;
}[keyof DatabaseStores];

type Rows<C extends { kind: string }> = { readonly [Kind in C['kind']]: Extract<C, { kind: Kind }> | Unchecked };

class Unchecked {
  readonly because: string;

  constructor(because: string) {
    this.because = because;
  }
}

const stamp: Stamp = {
  atMs: 1000,
  via: 'session',
  actorId: 1n,
  actorName: 'ada',
  actorRole: 'admin',
  credentialId: 's1',
  address: null,
};

const ada = { accountId: 1n, stamp };
const kept = { passwordHash: undefined, keepSession: undefined, stamp };
const enquiry = { id: 7n, stamp } as const;
const identity = { issuer: 'https://issuer.example', subject: 'x', name: 'Ada' };
const login = { userId: 1n, issuer: identity.issuer, subject: identity.subject, label: 'Example', stamp } as const;
const newFactor = { ...ada, uses: [], session: { digest: 'd1', factors: [] }, recoveryCodes: [] } as const;
const record = { record: 'organisation', precondition: undefined, action: 'organisation.changed', stamp } as const;
const program = { clientId: 'c1', redirectUri: 'https://program.example/', scopes: [], tokenId: 't1' } as const;

const ROWS: { readonly [Name in StampedStore]: Rows<Stamped<Name>> } = {
  pets: {
    put: putPet({}, 7n),
    edit: editPet(7n, { name: 'Rex' }),
    delete: removePet(7n),
    restore: restorePet(7n),
  },
  users: {
    create: createUsers(newAccount('eve')),
    replace: { kind: 'replace', username: 'root', profile: { username: 'r' }, ...kept },
    delete: { kind: 'delete', username: 'root', stamp },
    'set-role': { kind: 'set-role', username: 'root', role: 'viewer', stamp },
    'set-status': { kind: 'set-status', username: 'root', userStatus: 3, stamp },
    'set-password': {
      kind: 'set-password',
      username: 'root',
      replacedHash: undefined,
      keepKeys: true,
      ...kept,
      passwordHash: 'x',
    },
    'issue-reset': issueReset('root', 'digest'),
    'use-reset': { kind: 'use-reset', digest: 'digest', passwordHash: 'x', language: 'en', stamp },
  },
  sessions: {
    begin: new Unchecked('it is the login'),
    prove: { kind: 'prove', digest: 'd1', factors: [], uses: [], stamp },
    end: new Unchecked('only its owner has the token'),
    'end-one': { kind: 'end-one', userId: 1n, id: 's1', stamp },
    'end-others': { kind: 'end-others', userId: 2n, keepSession: undefined, stamp },
  },
  keys: { create: createKey('digest', 1n), revoke: revokeKey('k1', 1n) },
  factors: {
    'begin-step': {
      kind: 'begin-step',
      step: { digest: 'digest', kind: 'add-totp', accountId: 1n, details: {}, expiresAtMs: 2000 },
      stamp,
    },
    'add-totp': { kind: 'add-totp', ...newFactor, totp: { secret: 'x', lastStep: 0, createdAtMs: 1 } },
    'add-passkey': {
      kind: 'add-passkey',
      ...newFactor,
      passkey: {
        accountId: 1n,
        id: 'p1',
        credential: 'x',
        userHandle: 'x',
        publicKey: 'x',
        counter: 0,
        transports: [],
        isSynced: false,
        name: 'Laptop',
        createdAtMs: 1,
        lastUsedAtMs: undefined,
      },
    },
    'remove-totp': { kind: 'remove-totp', ...ada },
    'rename-passkey': { kind: 'rename-passkey', ...ada, id: 'p1', name: 'Phone' },
    'remove-passkey': { kind: 'remove-passkey', ...ada, id: 'p1', waysIn: { isPasswordAccepted: true, issuers: [] } },
    'replace-recovery-codes': { kind: 'replace-recovery-codes', ...ada, digests: [] },
    reset: { kind: 'reset', ...ada },
  },
  oauthClients: {
    create: {
      kind: 'create',
      client: {
        ...ada,
        id: 'c1',
        name: 'Program',
        redirectUris: [],
        scopes: [],
        isPublic: true,
        secretDigest: undefined,
        createdAtMs: 1,
      },
      maxOfAccount: 10,
      stamp,
    },
    delete: { kind: 'delete', id: 'c1', userId: 1n, stamp },
  },
  oauthTokens: {
    'save-code': {
      kind: 'save-code',
      digest: 'digest',
      code: { ...program, challenge: 'x', sessionId: 's1' },
      clientName: 'Program',
      expiresAtMs: 2000,
      stamp,
    },
    'use-code': new Unchecked('the code is the credential'),
    issue: {
      kind: 'issue',
      token: {
        id: 't1',
        digest: 'digest',
        accountId: 1n,
        clientId: 'c1',
        clientName: 'Program',
        scopes: [],
        createdAtMs: 1,
        expiresAtMs: 2,
      },
      codeDigest: undefined,
      isOfService: true,
      stamp,
    },
    revoke: new Unchecked('the token is the credential'),
  },
  providerLogins: {
    begin: new Unchecked('everyone may begin a login'),
    'log-in': new Unchecked('it is the login'),
    link: { kind: 'link', userId: 1n, identity, label: 'Example', completed: completedStep(), stamp },
    unlink: { kind: 'unlink', ...login, waysIn: { isPasswordAccepted: true, issuers: [] } },
    'unlink-for-owner': { kind: 'unlink-for-owner', ...login },
  },
  webhooks: {
    create: {
      kind: 'create',
      webhook: {
        id: 'w1',
        url: 'https://x.example/',
        patterns: ['*'],
        secret: 'whsec_x',
        origin: 'https://y.example',
        createdAtMs: 1,
      },
      most: 1,
      stamp,
    },
    update: { kind: 'update', id: 'w1', stamp },
    'rotate-secret': { kind: 'rotate-secret', id: 'w1', secret: 'whsec_x', nowMs: 1, untilMs: 2, stamp },
    'end-rotation': { kind: 'end-rotation', id: 'w1', stamp },
    delete: { kind: 'delete', id: 'w1', stamp },
    retry: { kind: 'retry', id: 'w1', version: undefined, nowMs: 1, stamp },
  },
  mail: {
    queue: new Unchecked('it changes nothing but the queue'),
    'retry-waiting': { kind: 'retry-waiting', stamp },
    retry: { kind: 'retry', id: 'm1', stamp },
    delete: { kind: 'delete', id: 'm1', stamp },
  },
  addresses: { confirm: new Unchecked('the link is the credential') },
  listings: {
    switch: { kind: 'switch', site: 'petfinder', isOn: true, stamp },
    'set-key': { kind: 'set-key', site: 'petfinder', digest: 'digest', stamp },
    'set-listed': { kind: 'set-listed', site: 'petfinder', petId: 7n, isListed: false, stamp },
    request: { kind: 'request', site: 'petfinder', stamp },
  },
  enquiries: {
    add: {
      kind: 'add',
      enquiry: {
        petId: 7n,
        petName: 'Rex',
        name: 'Eve',
        email: 'eve@x.example',
        phone: undefined,
        message: 'Hello',
        answers: [],
        language: 'en',
        formId: 'f1',
      },
      quotas: [],
      messages: {},
      stamp,
    },
    update: { kind: 'update', ...enquiry, state: 'closed' },
    note: { kind: 'note', ...enquiry, text: 'x' },
    answer: { kind: 'answer', ...enquiry, text: 'x' },
    delete: { kind: 'delete', ...enquiry },
    erase: { kind: 'erase', email: 'eve@x.example', stamp },
  },
  savedSearches: {
    confirm: new Unchecked('the link is the credential'),
    stop: new Unchecked('the link is the credential'),
    erase: { kind: 'erase', email: 'eve@x.example', stamp },
  },
  siteRecords: {
    put: { kind: 'put', ...record, text: '{}' },
    'set-photo': { kind: 'set-photo', ...record, photo: photo('a') },
  },
};

type Lists = {
  readonly [Name in StampedStore]: Readonly<Record<string, Stamped<Name> | Unchecked>>;
};

type Applying = { readonly [Name in StampedStore]: { apply(change: Stamped<Name>): Promise<unknown> } };

const LISTS: Lists = ROWS;

export interface StampedChange {
  title: string;
  apply: (stores: DatabaseStores, stamp: Stamp) => Promise<unknown>;
}

/** The changes that a store refuses if the credential of their stamp has ended. */
export const CHECKED_CHANGES = (Object.keys(LISTS) as StampedStore[]).flatMap((name) =>
  checkedChangesOf(name, LISTS[name]),
);

function checkedChangesOf<Name extends StampedStore>(name: Name, changes: Lists[Name]): readonly StampedChange[] {
  return Object.entries<Stamped<Name> | Unchecked>(changes).flatMap(([kind, change]) =>
    change instanceof Unchecked
      ? []
      : {
          title: `${name} ${kind}`,
          apply: async (stores: Applying, by) => stores[name].apply({ ...change, stamp: by }),
        },
  );
}
