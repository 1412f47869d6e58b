import { Accounts } from './accounts.ts';
import { Enquiries } from './enquiries.ts';
import { decide, type Decision } from './pet-rules.ts';
import { currentOf, petText, profileText, publicPart, UNKNOWN, type Current, type Version } from './records.ts';
import { DEFAULT_ID, ofPhoto, type Read, type SentCall, type SentChange, type Who } from './steps.ts';

/*
 * The reference: the stored data and the expected responses. It follows docs/rules.md, without a database, an index
 * or batches.
 */

export interface Answer {
  /** 0 if there was no response. */
  status: number;
  /** Undefined in a bulk response, which has the ID instead. */
  text: string | undefined;
  id?: string | undefined;
  etag: string | null;
}

export interface HistoryEntry {
  version: bigint;
  action: string;
  /** The ID of the account. */
  by: string;
}

/** The ID of the pet in a response. */
export function idIn({ id, text = '' }: Answer): string {
  return id ?? /^\{"id":(\d+),/.exec(text)?.[1] ?? '';
}

/** Why a response is wrong; undefined for a right one. */
type Complaint = string | undefined;

export class Model {
  /** By ID, each from the first version to the last. */
  readonly pets = new Map<string, Version[]>();
  #accounts = new Accounts();
  #enquiries = new Enquiries();
  #lastVersion = UNKNOWN;
  #lastAssigned = 0n;

  clone(): Model {
    const copy = new Model();
    for (const [id, versions] of this.pets) copy.pets.set(id, [...versions]);
    copy.#accounts = this.#accounts.clone();
    copy.#enquiries = this.#enquiries.clone();
    copy.#lastVersion = this.#lastVersion;
    copy.#lastAssigned = this.#lastAssigned;
    return copy;
  }

  /** Whether the actor may change pets, and so sees drafts, private fields and the past. */
  isStaff(who: Who): boolean {
    return this.#refusalOf(who, 'editor', true) === undefined;
  }

  get accounts(): Accounts {
    return this.#accounts;
  }

  get enquiries(): Enquiries {
    return this.#enquiries;
  }

  versionsOf(id: string): readonly Version[] {
    return this.pets.get(id) ?? [];
  }

  /** The existing pets that the actor sees, by ascending ID. */
  visible(isStaff: boolean): readonly (Current & { id: string; versions: readonly Version[] })[] {
    const all = [...this.pets].flatMap(([id, versions]) => {
      const current = currentOf(versions);
      return current === undefined ? [] : [{ ...current, id, versions }];
    });
    return all
      .filter(({ profile }) => isStaff || profile.isPublished !== false)
      .toSorted((a, b) => (BigInt(a.id) < BigInt(b.id) ? -1 : 1));
  }

  /** Checks the response to a call, and stores what the call has changed. */
  take(call: SentCall, answer: Answer): Complaint {
    const complaint = this.#takeAnswered(call, answer);
    return answer.status === 0 ? undefined : complaint;
  }

  #takeAnswered(call: SentCall, answer: Answer): Complaint {
    if (call.kind === 'setUserRole' || 'newName' in call) return this.#accounts.take(call, answer);
    if ('person' in call) {
      const pet = this.visible(false).find(({ id }) => id === call.id);
      return this.#enquiries.take(call, answer, this.#refusalOf(call.by, 'editor', false), pet);
    }
    return 'fields' in call ? this.#takeChange(call, answer) : this.#takeRead(call, answer);
  }

  /**
   * Takes the versions that no response had from the history of a pet, newest first.
   *
   * @returns whether the pet has this history
   */
  learn(id: string, history: readonly HistoryEntry[]): boolean {
    const versions = this.versionsOf(id);
    const all = history.toReversed().map(({ version, action, by }, index) => {
      const one = versions[index];
      const isRight = one?.action === action && one.by === by && (one.version === UNKNOWN || one.version === version);
      return isRight ? { ...one, version } : undefined;
    });
    const learned = all.filter((one) => one !== undefined);
    if (learned.length < versions.length || all.length > versions.length) return false;
    if (versions.length === 0) return true;
    this.pets.set(id, learned);
    for (const { version } of learned) if (version > this.#lastVersion) this.#lastVersion = version;
    return true;
  }

  /** Everything, as a text to compare. */
  text(): string {
    const all = [
      [...this.pets].toSorted(([a], [b]) => (a < b ? -1 : 1)),
      this.#accounts.text(),
      this.#enquiries.text(),
      this.#lastVersion,
      this.#lastAssigned,
    ];
    return JSON.stringify(all, (_name, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
  }

  /** Checks the response to a repeated request: the first one, or a refusal. */
  takeAgain({ by }: SentChange, first: Answer, { status, text, etag }: Answer): Complaint {
    const refused = this.#refusalOf(by, 'editor', true);
    if (refused !== undefined) return status === refused ? undefined : `expected ${refused}`;
    const isSame = status === first.status && text === first.text && etag === first.etag;
    return isSame ? undefined : `expected ${first.status} ${first.text} with ${first.etag} again`;
  }

  /** The status of a refusal for missing permission. API keys get 401, as in Petstore. */
  #refusalOf(who: Who, least: 'editor' | 'admin', mayKeys: boolean): number | undefined {
    const active = this.#accounts.activeOf(who);
    if (active === undefined) return 401;
    const isByRole = active.user.role === 'admin' || active.user.role === least;
    if (active.kind === 'session') return isByRole ? undefined : 403;
    return isByRole && mayKeys && active.mayWrite ? undefined : 401;
  }

  #takeChange(call: SentChange, answer: Answer): Complaint {
    const refused = this.#refusalOf(call.by, 'editor', true);
    const id = call.id ?? (call.kind === 'addPet' ? undefined : DEFAULT_ID);
    const decision: Decision = refused ?? decide(call, id, this);
    if (typeof decision === 'number')
      return answer.status === decision ? undefined : `expected ${decision}, got ${answer.status}`;
    if (answer.status !== 200 && answer.status !== 0) return `expected 200, got ${answer.status}`;
    const assigned = id ?? idIn(answer);
    if (id === undefined) {
      if (this.pets.has(assigned) || BigInt(assigned) <= this.#lastAssigned) return `the ID ${assigned} is not new`;
      this.#lastAssigned = BigInt(assigned);
    }
    return this.#takeEffect(call, assigned, decision, answer);
  }

  #takeEffect(call: SentChange, id: string, decision: Exclude<Decision, number>, answer: Answer): Complaint {
    const { action, fields, profile, isSame, keepsProfile } = decision;
    const versions = this.pets.get(id) ?? [];
    const last = versions.at(-1);
    const tag = /^"(\d+)"$/.exec(answer.etag ?? '')?.[1];
    const isOfProfile = call.kind === 'replacePetProfile' || call.kind === 'patchPetProfile';
    const version = tag === undefined ? UNKNOWN : BigInt(tag);
    if (action !== 'deleted' && tag === undefined && answer.status !== 0) return 'expected an ETag';
    if (isSame) {
      const before = isOfProfile ? last?.profileVersion : last?.version;
      if (version !== before && answer.status !== 0)
        return `nothing has changed, but the ETag did, from ${before} to ${version}`;
    } else {
      if (version !== UNKNOWN && version <= this.#lastVersion) return `version ${version} is not new`;
      if (version > this.#lastVersion) this.#lastVersion = version;
      const profileVersion = keepsProfile ? (currentOf(versions)?.profileVersion ?? UNKNOWN) : version;
      const by = this.#accounts.activeOf(call.by)?.owner ?? '';
      this.pets.set(id, [...versions, { version, action, fields, profile, profileVersion, by }]);
    }
    const isMessage = action === 'deleted' || call.kind === 'updatePetWithForm';
    const ofPet = isMessage ? `{"code":200,"type":"unknown","message":"${id}"}` : petText(id, fields ?? {});
    const text = isOfProfile ? profileText(profile) : ofPet;
    // The response to an upload names the file, and the one to a deletion has all facts of the other photos.
    return answer.text === undefined || ofPhoto(call) || answer.text === text ? undefined : `expected ${text}`;
  }

  #takeRead({ kind, by, id }: Read, { status, text = '', etag }: Answer): Complaint {
    const isStaff = this.isStaff(by);
    if (kind === 'findPets') {
      const ids = [...text.matchAll(/\{"id":(\d+)/g)].map(([, found]) => found);
      const expected = this.visible(isStaff).map((pet) => pet.id);
      return status === 200 && ids.join() === expected.join() ? undefined : `expected the pets ${expected.join()}`;
    }
    if (kind === 'listPetHistory') {
      const refused = this.#refusalOf(by, 'editor', true) ?? (this.pets.has(id) ? 200 : 404);
      return status === refused ? undefined : `expected ${refused}`;
    }
    if (kind === 'getUserAsAdmin') {
      const refused = this.#refusalOf(by, 'admin', false);
      if (refused === undefined) return this.#accounts.complaintAbout(id, { status, text, etag });
      return status === refused ? undefined : `expected ${refused}`;
    }
    const pet = this.visible(isStaff).find((one) => one.id === id);
    if (pet === undefined) return status === 404 ? undefined : 'expected 404';
    const profile = profileText(isStaff ? pet.profile : publicPart(pet.profile));
    const [expected, tag] =
      kind === 'getPetById'
        ? [petText(id, pet.fields), `"${pet.version}"`]
        : [profile, `"${pet.profileVersion}${isStaff ? '' : '-public'}"`];
    return text === expected && etag === tag ? undefined : `expected ${expected} with ${tag}`;
  }
}
