import {
  EMBEDDING_LIMITS,
  EMBEDDING_SITES,
  type Embedding as DomainEmbedding,
  type EmbeddingSites,
} from '../domain/embedding.ts';
import { absent, exactly, nonEmptyText } from '../../../api/records/fields.ts';
import { recordText } from '../../../api/records/record-text.ts';
import * as Type from '../../../api/records/type.ts';

/* The websites that may show the pets in a frame. */

const sites = Type.Unsafe<EmbeddingSites>({
  type: 'string',
  enum: [...EMBEDDING_SITES],
  description: '`listed`: only those in `origins`.',
  message: `must be one of ${EMBEDDING_SITES.join(', ')}`,
});

export const Embedding = Type.Object(
  { sites, origins: Type.Array(Type.String(), { description: 'Such as `https://www.example.org`.' }) },
  exactly('Embedding'),
);
export type Embedding = Type.Static<typeof Embedding>;

export const SentEmbedding = Type.Object(
  {
    sites,
    origins: absent(
      Type.Array(nonEmptyText(EMBEDDING_LIMITS.originLength), {
        maxItems: EMBEDDING_LIMITS.origins,
        message: `must be an array of at most ${EMBEDDING_LIMITS.origins} texts`,
      }),
    ),
  },
  { title: 'SentEmbedding', message: 'must be a JSON object with sites' },
);
export type SentEmbedding = Type.Static<typeof SentEmbedding>;

export function embeddingText({ sites: allowed, origins }: DomainEmbedding): string {
  return recordText<Embedding>({ sites: allowed, origins: [...origins] });
}
