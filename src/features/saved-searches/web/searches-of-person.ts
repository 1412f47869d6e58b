import type { PersonalRecords } from '../../../web/features/web-feature.ts';
import { client } from '../../../web/service/client.ts';

/* The part of the dialog that finds and erases a person. */

export const found: PersonalRecords['found'] = (t, count) => t('savedSearches.erase.found', { count });

export const done: PersonalRecords['done'] = (t, count) => t('savedSearches.erase.done', { count });

export const count: PersonalRecords['count'] = async (email, signal) =>
  (await client.listSavedSearches({ email }, { signal })).length;

export const erase: PersonalRecords['erase'] = async (email) =>
  (await client.eraseSavedSearches({ body: { email } })).erased;
