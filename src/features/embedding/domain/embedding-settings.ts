import type { Access, Actor } from '../../../domain/access.ts';
import { stampOf } from '../../../domain/audit.ts';
import type { SiteRecordStore } from '../../../domain/organisation/ports.ts';
import type { Clock } from '../../../domain/ports.ts';
import type { Precondition } from '../../../domain/precondition.ts';
import { embeddingIn, embeddingOf, type Embedding, type EmbeddingSites } from './embedding.ts';

interface EmbeddingSettingsDeps {
  access: Access;
  siteRecords: SiteRecordStore;
  clock: Clock;
}

export interface StoredEmbedding extends Embedding {
  /** 0 if no administrator has written it yet. */
  version: bigint;
}

/** Everyone may read which websites show the pets, and administrators change it. */
export class EmbeddingSettings {
  readonly #deps: EmbeddingSettingsDeps;

  constructor(deps: EmbeddingSettingsDeps) {
    this.#deps = deps;
  }

  async get(): Promise<StoredEmbedding> {
    const record = await this.#deps.siteRecords.find('embedding');
    return { version: record?.version ?? 0n, ...embeddingIn(record) };
  }

  /** @throws Failure `invalid-input`, `precondition-failed` */
  async put(
    actor: Actor,
    sites: EmbeddingSites,
    origins: readonly string[],
    precondition?: Precondition,
  ): Promise<StoredEmbedding> {
    const { access, siteRecords, clock } = this.#deps;
    access(actor, 'administer');
    const text = JSON.stringify(embeddingOf(sites, origins));
    const stamp = stampOf(actor, clock());
    const action = 'embedding.changed';
    await siteRecords.apply({ kind: 'put', record: 'embedding', text, precondition, action, stamp });
    return this.get();
  }
}
