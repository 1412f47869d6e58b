import { randomBytes } from 'node:crypto';
import { createCheck } from '../../api/check.ts';
import { assignable } from '../../api/read-bodies.ts';
import { readPet } from '../../api/read-pet.ts';
import { SentPet } from '../../api/records/sent-pet.ts';
import { ROLES } from '../../domain/access.ts';
import { USER_STATUS_ACTIVE } from '../../domain/accounts/user.ts';
import { stampOf } from '../../domain/audit.ts';
import { Failure, invalidInput, type FieldProblem } from '../../domain/failure.ts';
import { parseExactJson } from '../../domain/int64.ts';
import { recordOf } from '../../domain/pets/pet.ts';
import { profileProblems } from '../../domain/pets/profile-rules.ts';
import type { CreatedPlayground, NewPlayground } from '../../domain/playgrounds/playground.ts';
import type { Clock } from '../../domain/ports.ts';
import { Argon2Hasher } from '../../services/crypto/passwords.ts';
import { openStoresInMemory, type MemoryStores } from '../stores/memory-stores.ts';
import { fillWithSamples } from '../stores/sample-catalogue.ts';
import { pack, unpack, type PackedContents } from './packed-contents.ts';

/** The actor in the audit log. */
const SEEDER = { kind: 'operator', name: 'playground' } as const;

/** The samples have dates relative to today. */
const SAMPLES_VALID_MS = 86_400_000;

const PASSWORD_BYTES = 15;

/** Cheap, because the passwords are random: nobody can guess them. */
const HASHING = { concurrency: 1, maxWaiting: 1000, parameters: { memoryKib: 64, passes: 1 } };

/** Pets that are stored in one transaction. */
const BATCH = 100;

/** What a playground begins with. */
interface Seed {
  seed: PackedContents;
  users: CreatedPlayground['users'];
}

/** Creates the first contents of playgrounds. Those without a seed of their own are created once. */
export class Seeds {
  readonly #clock: Clock;
  readonly #passwords = new Argon2Hasher(HASHING);
  #empty: Promise<PackedContents> | undefined;
  #samples: { packed: Promise<PackedContents>; sinceMs: number } | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @throws Failure `invalid-input` */
  async of({ contents, seed, access, limits }: NewPlayground): Promise<Seed> {
    const common = await (contents === 'samples' ? this.#withSamples() : this.#withNothing());
    if (seed === undefined && access === 'open') return { seed: common, users: [] };
    return this.#changed(common, async (stores) => {
      if (seed !== undefined) await this.#addPets(stores, seed, limits.pets);
      return access === 'open' ? [] : this.#addUsers(stores);
    });
  }

  #withNothing(): Promise<PackedContents> {
    return (this.#empty ??= this.#packed(openStoresInMemory(), async () => {}));
  }

  #withSamples(): Promise<PackedContents> {
    const clock = this.#clock;
    if (this.#samples === undefined || clock() - this.#samples.sinceMs > SAMPLES_VALID_MS) {
      const packed = this.#packed(openStoresInMemory(), (stores) => fillWithSamples({ clock, ...stores }));
      packed.catch(() => (this.#samples = undefined));
      this.#samples = { packed, sinceMs: clock() };
    }
    return this.#samples.packed;
  }

  async #changed(common: PackedContents, change: (stores: MemoryStores) => Promise<Seed['users']>): Promise<Seed> {
    let users: Seed['users'] = [];
    const seed = await this.#packed(openStoresInMemory(await unpack(common)), async (stores) => {
      users = await change(stores);
    });
    return { seed, users };
  }

  async #packed(stores: MemoryStores, fill: (stores: MemoryStores) => Promise<unknown>): Promise<PackedContents> {
    try {
      await fill(stores);
      return await pack(stores.contents());
    } finally {
      await stores.close();
    }
  }

  async #addPets({ pets }: MemoryStores, ndjson: string, maxPets: number): Promise<void> {
    const lines = [...ndjson.split('\n').entries()].filter(([, line]) => line.trim() !== '');
    if (lines.length > maxPets) throw invalidSeed(`must have at most ${maxPets} pets`);
    const nowMs = this.#clock();
    const stamp = stampOf(SEEDER, nowMs);
    // Batches, because each blocks the event loop.
    for (let start = 0; start < lines.length; start += BATCH) {
      const batch = lines.slice(start, start + BATCH).map(([index, line]) => petIn(line, index + 1, nowMs));
      const added = batch.map(({ id, pet }) => {
        const profile = pet.profile && { replacedBy: pet.profile };
        return pets.apply({ kind: 'put', id: assignable(id), record: recordOf(pet), profile, mustExist: false, stamp });
      });
      await Promise.all(added);
    }
  }

  /** One user for each role, named after it. */
  async #addUsers({ users }: MemoryStores): Promise<Seed['users']> {
    const created = ROLES.map((role) => ({
      username: role,
      role,
      password: randomBytes(PASSWORD_BYTES).toString('base64url'),
    }));
    const accounts = await Promise.all(
      created.map(async ({ username, role, password }) => ({
        publicId: undefined,
        profile: { username, userStatus: USER_STATUS_ACTIVE },
        role,
        passwordHash: await this.#passwords.hash(password),
      })),
    );
    await users.apply({ kind: 'create', accounts, isList: true, stamp: stampOf(SEEDER, this.#clock()) });
    return created;
  }
}

const check = createCheck(SentPet);

/** A new playground defines no locations and no fields of its own. */
const NO_ORGANISATION = { ownFields: [], locations: [] };

function petIn(line: string, number: number, nowMs: number) {
  try {
    const read = readPet(check(parseExactJson(line)));
    const problems = profileProblems(read.pet.profile ?? {}, { ...NO_ORGANISATION, nowMs }, '/profile');
    if (problems.length > 0) throw invalidInput(problems);
    return read;
  } catch (error) {
    if (error instanceof Failure) throw invalidSeed(`must have a valid pet in line ${number}: ${reasonOf(error)}`);
    if (error instanceof SyntaxError) throw invalidSeed(`must have valid JSON in line ${number}`);
    throw error;
  }
}

function reasonOf({ message, details: { problems = [] } }: Failure): string {
  const [first] = problems;
  return first === undefined ? message : problemText(first);
}

function problemText({ path, message }: FieldProblem): string {
  return path === '' ? message : `${path} ${message}`;
}

function invalidSeed(message: string): Failure {
  return invalidInput([{ path: '/seed', message }]);
}
