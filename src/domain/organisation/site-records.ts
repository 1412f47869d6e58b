import type { Access, Actor, Permission } from '../access.ts';
import { stampOf } from '../audit.ts';
import type { Clock } from '../ports.ts';
import type { Precondition } from '../precondition.ts';
import { organisationOf, type Organisation, type SentOrganisation } from './organisation.ts';
import { requireOwnFields, type OwnField } from './own-field.ts';
import type { SiteRecord, SiteRecordKind, SiteRecordStore } from './ports.ts';

interface SiteRecordsDeps {
  access: Access;
  may: Permission;
  siteRecords: SiteRecordStore;
  clock: Clock;
}

export interface StoredOrganisation {
  /** 0 if no administrator has written it yet. */
  version: bigint;
  organisation: Organisation;
  /** The digest of a stored photo. */
  logo: string | undefined;
}

export interface StoredOwnFields {
  /** 0 if no administrator has written them yet. */
  version: bigint;
  fields: readonly OwnField[];
  /** Whether definitions were left out because the actor may not see them. */
  isPublicOnly: boolean;
}

/** The records of which a site has one each. Everyone may read them, and administrators change them. */
export class SiteRecords {
  readonly #deps: SiteRecordsDeps;

  constructor(deps: SiteRecordsDeps) {
    this.#deps = deps;
  }

  async getOrganisation(): Promise<StoredOrganisation> {
    return toOrganisation(await this.#deps.siteRecords.find('organisation'));
  }

  /** Replaces everything but the logo. @throws Failure `invalid-input`, `precondition-failed` */
  async putOrganisation(
    actor: Actor,
    sent: SentOrganisation,
    precondition?: Precondition,
  ): Promise<StoredOrganisation> {
    this.#deps.access(actor, 'administer');
    await this.#put(actor, 'organisation', organisationOf(sent), precondition);
    return this.getOrganisation();
  }

  /** Returns the definitions; those that are not public only for actors who may change pets. */
  async getOwnFields(actor: Actor): Promise<StoredOwnFields> {
    const record = await this.#deps.siteRecords.find('own-fields');
    const fields = record === undefined ? [] : (JSON.parse(record.text) as readonly OwnField[]);
    const isPublicOnly = !this.#deps.may(actor, 'write pets');
    return {
      version: record?.version ?? 0n,
      fields: isPublicOnly ? fields.filter(({ isPublic }) => isPublic) : fields,
      isPublicOnly,
    };
  }

  /** @throws Failure `invalid-input`, `precondition-failed` */
  async putOwnFields(actor: Actor, fields: readonly OwnField[], precondition?: Precondition): Promise<StoredOwnFields> {
    this.#deps.access(actor, 'administer');
    requireOwnFields(fields);
    await this.#put(actor, 'own-fields', fields, precondition);
    return this.getOwnFields(actor);
  }

  async #put(
    actor: Actor,
    record: SiteRecordKind,
    value: unknown,
    precondition: Precondition | undefined,
  ): Promise<void> {
    const { siteRecords, clock } = this.#deps;
    const stamp = stampOf(actor, clock());
    const text = JSON.stringify(value);
    await siteRecords.apply({ kind: 'put', record, text, precondition, action: `${record}.changed`, stamp });
  }
}

function toOrganisation(record: SiteRecord | undefined): StoredOrganisation {
  return {
    version: record?.version ?? 0n,
    organisation: record === undefined ? {} : (JSON.parse(record.text) as Organisation),
    logo: record?.photo,
  };
}
