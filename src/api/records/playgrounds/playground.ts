import {
  MAX_PLAYGROUND_LIMITS as MAX,
  DEFAULT_PLAYGROUND_LIMITS as DEFAULTS,
  PLAYGROUND_ACCESS,
  PLAYGROUND_CONTENTS,
  PLAYGROUND_LIFETIME,
  type CreatedPlayground as DomainCreatedPlayground,
  type NewPlayground,
  type Playground as DomainPlayground,
  type PlaygroundAccess,
  type PlaygroundContents,
  type PlaygroundLimits,
  type PlaygroundSnapshot as DomainSnapshot,
} from '../../../domain/playgrounds/playground.ts';
import { FEATURE_PLAYGROUND_LIMITS } from '../../../features/names.ts';
import { ROLES, type Role } from '../../../domain/access.ts';
import { invalidInput } from '../../../domain/failure.ts';
import { count, exactly, time, timeText } from '../fields.ts';
import { recordText, type Written } from '../record-text.ts';
import * as Type from '../type.ts';
import { SentBugIds } from './bugs.ts';

/* Playgrounds, as their creators see them. The passwords of their users are only in `CreatedPlayground`. */

const contents = Type.Unsafe<PlaygroundContents>({
  type: 'string',
  enum: [...PLAYGROUND_CONTENTS],
  description: 'What it begins with, and returns to with a reset.',
  message: `must be one of ${PLAYGROUND_CONTENTS.join(', ')}`,
});

const access = Type.Unsafe<PlaygroundAccess>({
  type: 'string',
  enum: [...PLAYGROUND_ACCESS],
  description: 'Whether its operations require credentials.',
  message: `must be one of ${PLAYGROUND_ACCESS.join(', ')}`,
});

type FeatureLimit = keyof typeof FEATURE_PLAYGROUND_LIMITS;

/** A schema for each limit of a feature. */
function ofFeatures<T>(schemaOf: (name: FeatureLimit) => T): Record<FeatureLimit, T> {
  const names = Object.keys(FEATURE_PLAYGROUND_LIMITS) as FeatureLimit[];
  return Object.fromEntries(names.map((name) => [name, schemaOf(name)])) as Record<FeatureLimit, T>;
}

const PlaygroundLimitsRecord = Type.Object(
  {
    pets: count('The number of pets.'),
    photoBytes: count('The bytes of all photos, with their sizes.'),
    streams: count('The number of open event streams.'),
    requestsPerMinute: count('The number of requests in a minute.'),
    ...ofFeatures((name) => count(`The number of ${name}.`)),
  },
  exactly('PlaygroundLimits'),
);

const USER_FIELDS = {
  username: Type.String({ description: 'The user name.' }),
  role: Type.Unsafe<Role>({ type: 'string', enum: [...ROLES], description: 'The role.' }),
};

const PlaygroundUser = Type.Object(USER_FIELDS, exactly('PlaygroundUser'));
const CreatedPlaygroundUser = Type.Object(
  { ...USER_FIELDS, password: Type.String({ description: 'The password. It is returned only once.' }) },
  exactly('CreatedPlaygroundUser'),
);

export const PlaygroundSnapshot = Type.Object(
  { id: Type.String({ description: 'The ID.' }), createdAt: time('The time of creation.') },
  exactly('PlaygroundSnapshot'),
);
export type PlaygroundSnapshot = Type.Static<typeof PlaygroundSnapshot>;

const FIELDS = {
  token: Type.String({ description: 'Identifies it. Whoever knows the token may use, reset and delete it.' }),
  base: Type.String({ description: 'The base URL of its API, for clients.' }),
  page: Type.String({ description: 'The URL of its web application.' }),
  contents,
  access,
  createdAt: time('The time of creation.'),
  expiresAt: time('The time when it is deleted.'),
  state: Type.Unsafe<'awake' | 'asleep'>({
    type: 'string',
    enum: ['awake', 'asleep'],
    description: 'Without requests, it falls asleep: its data is compressed. The next request wakes it.',
  }),
  limits: PlaygroundLimitsRecord,
  recordRequests: Type.Boolean({ description: 'Whether its requests are recorded.' }),
  snapshots: Type.Array(PlaygroundSnapshot),
};

export const Playground = Type.Object({ ...FIELDS, users: Type.Array(PlaygroundUser) }, exactly('Playground'));
export type Playground = Type.Static<typeof Playground>;

export const CreatedPlayground = Type.Object(
  { ...FIELDS, users: Type.Array(CreatedPlaygroundUser) },
  exactly('CreatedPlayground'),
);
export type CreatedPlayground = Type.Static<typeof CreatedPlayground>;

/** @param root the URL at which the client reaches the service */
export function playgroundText(playground: DomainPlayground, root: string): string {
  return recordText<Playground>({ ...fieldsOf(playground, root), users: playground.users });
}

/** Contains the passwords of its users, which are returned only once. */
export function createdPlaygroundText(playground: DomainCreatedPlayground, root: string): string {
  return recordText<CreatedPlayground>({ ...fieldsOf(playground, root), users: playground.users });
}

export function snapshotText(snapshot: DomainSnapshot): string {
  return recordText<PlaygroundSnapshot>(snapshotFields(snapshot));
}

/** The path of a playground, below that of the service. */
export const PLAYGROUND_SEGMENT = 's';

function fieldsOf(playground: Omit<DomainPlayground, 'users'>, root: string): Omit<Written<Playground>, 'users'> {
  const { token, createdAtMs, expiresAtMs, isAwake, snapshots } = playground;
  const own = `${root}/${PLAYGROUND_SEGMENT}/${token}`;
  return {
    token,
    base: `${own}/v2`,
    page: `${own}/`,
    contents: playground.contents,
    access: playground.access,
    createdAt: timeText(createdAtMs),
    expiresAt: timeText(expiresAtMs),
    state: isAwake ? 'awake' : 'asleep',
    limits: playground.limits,
    recordRequests: playground.recordRequests,
    snapshots: snapshots.map(snapshotFields),
  };
}

function snapshotFields({ id, createdAtMs }: DomainSnapshot): PlaygroundSnapshot {
  return { id, createdAt: timeText(createdAtMs) };
}

const within = (minimum: number, maximum: number) =>
  Type.Optional(
    Type.Unsafe<number>({
      type: 'integer',
      minimum,
      maximum,
      message: `must be a number from ${minimum} to ${maximum}`,
    }),
  );

const SentLimits = Type.Object(
  {
    pets: within(1, MAX.pets),
    photoBytes: within(0, MAX.photoBytes),
    streams: within(0, MAX.streams),
    requestsPerMinute: within(1, MAX.requestsPerMinute),
    ...ofFeatures((name) => within(0, MAX[name])),
  },
  { title: 'SentPlaygroundLimits', message: 'must be a JSON object with limits' },
);

const SentSnapshot = Type.Object(
  {
    token: Type.String({ description: 'The token of the playground that has it.', message: 'must be a string' }),
    id: Type.String({ description: 'Its ID.', message: 'must be a string' }),
  },
  { title: 'SentSnapshotReference', message: 'must be a JSON object with token and id' },
);

export const SentPlayground = Type.Object(
  {
    contents: Type.Optional(contents),
    seed: Type.Optional(
      Type.Unsafe<string>({
        type: 'string',
        description: 'Pets as in `addPet`, one in JSON per line, for the contents `seed`.',
        message: 'must be a string with a pet in JSON per line',
      }),
    ),
    snapshot: Type.Optional(SentSnapshot),
    access: Type.Optional(access),
    lifetimeSeconds: within(1, PLAYGROUND_LIFETIME.maxSeconds),
    limits: Type.Optional(SentLimits),
    recordRequests: Type.Optional(
      Type.Boolean({
        description: 'Whether its requests are recorded; true by default.',
        message: 'must be a boolean',
      }),
    ),
    bugs: Type.Optional(SentBugIds),
  },
  { title: 'SentPlayground', message: 'must be a JSON object' },
);
export type SentPlayground = Type.Static<typeof SentPlayground>;

/** @throws Failure `invalid-input` for a seed or snapshot without these contents, and the other way round */
export function readNewPlayground(sent: SentPlayground): NewPlayground {
  const { seed, snapshot, lifetimeSeconds = PLAYGROUND_LIFETIME.defaultSeconds } = sent;
  const { recordRequests = true, bugs = [] } = sent;
  const { contents: sentContents = impliedContents(sent) } = sent;
  if (sentContents === 'seed' && seed === undefined)
    throw invalidInput([{ path: '/seed', message: 'must have the pets of the seed' }]);
  if (sentContents !== 'seed' && seed !== undefined)
    throw invalidInput([{ path: '/contents', message: 'must be seed, because there is a seed' }]);
  if ((sentContents === 'snapshot') !== (snapshot !== undefined))
    throw invalidInput([{ path: '/snapshot', message: 'must be given for the contents snapshot, and for no others' }]);
  const limits: PlaygroundLimits = { ...DEFAULTS, ...sent.limits };
  const sentAccess = sent.access ?? (snapshot === undefined ? 'open' : undefined);
  return { contents: sentContents, seed, snapshot, access: sentAccess, lifetimeSeconds, limits, recordRequests, bugs };
}

function impliedContents({ seed, snapshot }: SentPlayground): PlaygroundContents {
  if (seed !== undefined) return 'seed';
  return snapshot === undefined ? 'samples' : 'snapshot';
}
