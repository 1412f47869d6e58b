import { lastWrittenBy, type Access, type Actor, type Permission } from '../access.ts';
import { stampOf } from '../audit.ts';
import { invalidInput } from '../failure.ts';
import { feeCurrencyOf, organisationIn, type Organisation } from '../organisation/organisation.ts';
import { ownFieldsIn, type OwnField } from '../organisation/own-field.ts';
import type { SiteRecordStore } from '../organisation/ports.ts';
import type { Clock, NoOlderThan } from '../ports.ts';
import { petNotFound } from './pet-change.ts';
import type { PetStore } from './ports.ts';
import type { Precondition } from '../precondition.ts';
import {
  profileFields,
  profileJson,
  publicProfile,
  readProfileText,
  withFeeCurrency,
  type ProfileChange,
  type StoredProfile,
} from './profile.ts';
import { profileProblems } from './profile-rules.ts';

interface PetProfilesDeps {
  access: Access;
  may: Permission;
  pets: PetStore;
  siteRecords: SiteRecordStore;
  clock: Clock;
}

/** A profile as an actor reads it. */
export interface ReadProfile {
  /** The version of the pet in which the profile was last changed; 0 if it never was. */
  version: bigint;
  /** JSON. */
  text: string;
  /** Whether private fields are left out. */
  isPublic: boolean;
  /** The currency of the organisation, if the fee has none of its own. */
  currency?: string | undefined;
}

export class PetProfiles {
  readonly #deps: PetProfilesDeps;

  constructor(deps: PetProfilesDeps) {
    this.#deps = deps;
  }

  /** @throws Failure `not-found`, also for a draft if the actor may not change pets */
  async getProfile(actor: Actor, id: bigint): Promise<ReadProfile> {
    const pet = await this.#deps.pets.findWithProfile(id, lastWrittenBy(actor));
    if (pet === undefined || (pet.isDraft && !this.#isStaff(actor))) throw petNotFound();
    return (await this.readerFor(actor))(pet.profile);
  }

  /** The profiles of these pets that are not empty. */
  async findProfiles(
    actor: Actor,
    ids: readonly bigint[],
    noOlderThan: NoOlderThan = lastWrittenBy(actor),
  ): Promise<ReadonlyMap<bigint, ReadProfile>> {
    const [found, read] = await Promise.all([this.#deps.pets.findProfiles(ids, noOlderThan), this.readerFor(actor)]);
    return new Map([...found].map(([id, profile]) => [id, read(profile)]));
  }

  /**
   * @param precondition on the version of the profile
   * @throws Failure `not-found`, `precondition-failed`, `invalid-input`; `conflict` if another pet has the external id
   */
  async changeProfile(
    actor: Actor,
    id: bigint,
    profile: ProfileChange,
    precondition?: Precondition,
  ): Promise<ReadProfile> {
    const { access, pets, clock } = this.#deps;
    access(actor, 'write pets');
    await this.requireValid(profile);
    const stamp = stampOf(actor, clock());
    const pet = await pets.apply({ kind: 'edit', id, edit: { profile }, profilePrecondition: precondition, stamp });
    return wholeProfile(pet.profile, feeCurrencyOf(await this.#organisation()));
  }

  /** Returns a function that leaves out what the actor may not read. A fee gets the currency of the organisation. */
  async readerFor(actor: Actor): Promise<(profile: StoredProfile) => ReadProfile> {
    if (this.#isStaff(actor)) {
      const currency = feeCurrencyOf(await this.#organisation());
      return (profile) => wholeProfile(profile, currency);
    }
    const [organisation, ownFields] = await Promise.all([this.#organisation(), this.#ownFields()]);
    const currency = feeCurrencyOf(organisation);
    const keys = new Set(ownFields.filter(({ isPublic }) => isPublic).map(({ key }) => key));
    return (profile) => publicPart(profile, keys, currency);
  }

  /**
   * Checks `profileProblems`.
   *
   * @param path where the request has the profile, as a JSON Pointer
   * @throws Failure `invalid-input`
   */
  async requireValid(change: ProfileChange, path = ''): Promise<void> {
    const profile = 'edit' in change ? change.edit : change.replacedBy;
    const context = {
      ownFields: profile.own ? await this.#ownFields() : [],
      locations: typeof profile.location === 'string' ? ((await this.#organisation()).locations ?? []) : [],
      nowMs: this.#deps.clock(),
    };
    const problems = profileProblems(profile, context, path);
    if (problems.length > 0) throw invalidInput(problems);
  }

  async #ownFields(): Promise<readonly OwnField[]> {
    return ownFieldsIn(await this.#deps.siteRecords.find('own-fields'));
  }

  async #organisation(): Promise<Organisation> {
    return organisationIn(await this.#deps.siteRecords.find('organisation'));
  }

  #isStaff(actor: Actor): boolean {
    return this.#deps.may(actor, 'write pets');
  }
}

function wholeProfile({ version, text }: StoredProfile, currency: string | undefined): ReadProfile {
  // Most texts are not parsed.
  if (text === null || currency === undefined || !text.includes('"feeAmount":'))
    return { version, text: text ?? '{}', isPublic: false };
  const profile = withFeeCurrency(readProfileText(text), currency);
  return { version, text: profileJson(profileFields(profile)), isPublic: false };
}

function publicPart(
  { version, text }: StoredProfile,
  ownKeys: ReadonlySet<string>,
  currency: string | undefined,
): ReadProfile {
  const stored = readProfileText(text);
  const profile = publicProfile(withFeeCurrency(stored, currency), (key) => ownKeys.has(key));
  const added = stored.feeCurrency === undefined ? profile.feeCurrency : undefined;
  return { version, text: profileJson(profileFields(profile)), isPublic: true, currency: added };
}
