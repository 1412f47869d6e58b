import type { Example } from '../../../api/documents/examples/example.ts';
import { json, jsonBody, NOT_MODIFIED, type OperationDescription } from '../../../api/documents/parts/format.ts';
import { IF_MATCH, IF_NONE_MATCH } from '../../../api/documents/parts/parameters.ts';
import { Embedding, SentEmbedding } from './embedding.ts';

export const EMBEDDING_OPERATIONS = {
  getEmbedding: {
    group: 'organisation',
    summary: 'Get the sites that may embed pets',
    description: 'Returns which websites may show the pets in a frame: all, unless an administrator has changed it.',
    headers: IF_NONE_MATCH,
    responses: { 200: json(Embedding, 'The sites.', 'ETag'), 304: NOT_MODIFIED },
  },
  updateEmbedding: {
    group: 'organisation',
    summary: 'Update the sites that may embed pets',
    description: 'Replaces the sites. An origin has a scheme and a host, and a port if it is not the usual one.',
    headers: IF_MATCH,
    body: jsonBody(SentEmbedding),
    responses: { 200: { ...json(Embedding, 'The sites after the change.', 'ETag'), name: 'ChangedEmbedding' } },
    failures: { 412: 'The precondition failed: the record has changed. Nothing was stored.' },
  },
} as const satisfies Record<string, OperationDescription>;

export const EMBEDDING_EXAMPLES = {
  updateEmbedding: {
    body: { sites: 'listed', origins: ['https://www.example.org'] },
    response: { sites: 'listed', origins: ['https://www.example.org'] },
  },
  getEmbedding: { response: { sites: 'listed', origins: ['https://www.example.org'] } },
} as const satisfies Record<string, Example>;
