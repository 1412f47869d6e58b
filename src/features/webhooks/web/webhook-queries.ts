import { queryOptions } from '@tanstack/react-query';
import type { ResultOf } from '../../../api/documents/operation-types.ts';
import { ADMIN_KEY } from '../../../web/administration/admin-queries.ts';
import { client } from '../../../web/service/client.ts';
import { pagedQuery } from '../../../web/service/queries.ts';

export type WebhookView = ResultOf<'listWebhooks'>[number];
export type DeadLetterView = ResultOf<'listDeadLetters'>[number];

const LETTERS = 50;

export const webhooksQuery = queryOptions({
  queryKey: [...ADMIN_KEY, 'webhooks'],
  queryFn: ({ signal }) => client.listWebhooks({}, { signal }),
});

export function deadLettersQuery(webhookId: string) {
  return pagedQuery([...webhooksQuery.queryKey, webhookId, 'dead-letters'], (page, options) =>
    client.listDeadLetters.response({ webhookId, limit: LETTERS, ...page }, options),
  );
}
