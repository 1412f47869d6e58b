import type { SchemaWriter } from './schema-writer.ts';

/** Requests that the service sends to others, as OpenAPI 3.1 describes them (`webhooks`, section 4.8.1). */
export interface SentRequests {
  /** Their headers, by the names of components. */
  headers: Readonly<Record<string, object>>;
  requestsIn(schemas: SchemaWriter): Readonly<Record<string, object>>;
}
