import { endpoint, OF_ADMIN } from '../../../api/endpoint.ts';

export const EMBEDDING_ENDPOINTS = {
  getEmbedding: endpoint('GET', 'embedding'),
  updateEmbedding: endpoint('PUT', 'embedding', 'json', OF_ADMIN),
} as const;
