import type { Access, Actor, Permission } from '../access.ts';
import { stampOf } from '../audit.ts';
import type { Photo } from '../photos/photo.ts';
import type { Imaging, PhotoIndex, PhotoStore, StagedUpload } from '../photos/ports.ts';
import type { Clock } from '../ports.ts';
import type { Precondition } from '../precondition.ts';
import { organisationIn, organisationOf, type Organisation, type SentOrganisation } from './organisation.ts';
import { ownFieldsIn, requireOwnFields, type OwnField } from './own-field.ts';
import type { SiteRecordKind, SiteRecordStore } from './ports.ts';

interface SiteRecordsDeps {
  access: Access;
  may: Permission;
  siteRecords: SiteRecordStore;
  photos: Pick<PhotoIndex, 'find'>;
  photoStore: PhotoStore;
  imaging: Imaging;
  clock: Clock;
}

export interface StoredOrganisation {
  /** 0 if no administrator has written it yet. */
  version: bigint;
  organisation: Organisation;
  logo: Photo | undefined;
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
    const { siteRecords, photos } = this.#deps;
    const record = await siteRecords.find('organisation');
    return {
      version: record?.version ?? 0n,
      organisation: organisationIn(record),
      logo: record?.photo === undefined ? undefined : await photos.find(record.photo),
    };
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

  /**
   * Checks an uploaded photo as those of pets, and makes it the logo.
   *
   * @throws Failure `precondition-failed`, `unsupported-media-type`, `too-large`, `unavailable`, `insufficient-storage`
   */
  async putLogo(actor: Actor, file: StagedUpload, precondition?: Precondition): Promise<StoredOrganisation> {
    const { access, photoStore, imaging } = this.#deps;
    access(actor, 'administer');
    const { bytes, ...photo } = await imaging.prepare(file.source);
    await photoStore.put(photo.digest, bytes);
    await this.#setLogo(actor, photo, precondition);
    // An unused copy of the same photo may have been deleted meanwhile. From now on the organisation refers to it.
    if ((await photoStore.open(photo.digest)) === undefined) await photoStore.put(photo.digest, bytes);
    return this.getOrganisation();
  }

  /** @throws Failure `precondition-failed`, `not-found` */
  async deleteLogo(actor: Actor, precondition?: Precondition): Promise<StoredOrganisation> {
    this.#deps.access(actor, 'administer');
    await this.#setLogo(actor, undefined, precondition);
    return this.getOrganisation();
  }

  /** Returns the definitions; those that are not public only for actors who may change pets. */
  async getOwnFields(actor: Actor): Promise<StoredOwnFields> {
    const record = await this.#deps.siteRecords.find('own-fields');
    const fields = ownFieldsIn(record);
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

  async #setLogo(actor: Actor, photo: Photo | undefined, precondition: Precondition | undefined): Promise<void> {
    const { siteRecords, clock } = this.#deps;
    const stamp = stampOf(actor, clock());
    const action = 'organisation.changed';
    await siteRecords.apply({ kind: 'set-photo', record: 'organisation', photo, precondition, action, stamp });
  }
}
