import type { SavedSearch as DomainSavedSearch } from '../domain/saved-search.ts';
import { USER_LIMITS } from '../../../domain/accounts/user.ts';
import { MAIL_LANGUAGES, type MailLanguage } from '../../../domain/mail/mail.ts';
import { exactly, text, time, timeText } from '../../../api/records/fields.ts';
import { recordText } from '../../../api/records/record-text.ts';
import * as Type from '../../../api/records/type.ts';

/* Saved searches. The response to a confirmation does not contain the address, which only administrators see. */

const MAX_SEARCH_LENGTH = 2000;

const SEARCH = 'The query of `findPets`, such as `species=dog&age=baby`.';

const language = Type.Unsafe<MailLanguage>({
  type: 'string',
  enum: [...MAIL_LANGUAGES],
  message: `must be one of ${MAIL_LANGUAGES.join(', ')}`,
});

export const SentSavedSearch = Type.Object(
  {
    email: text(USER_LIMITS.fieldLength),
    search: Type.Unsafe<string>({ ...text(MAX_SEARCH_LENGTH), description: SEARCH }),
    language,
  },
  { title: 'SentSavedSearch', message: 'must be a JSON object' },
);
export type SentSavedSearch = Type.Static<typeof SentSavedSearch>;

export const SavedSearch = Type.Object(
  {
    search: Type.String({ description: SEARCH }),
    language,
    createdAt: time('When it was requested.'),
    confirmedAt: Type.Optional(time('Absent until it is confirmed.')),
    endsAt: time('When it ends, unless it is confirmed again.'),
    mailedAt: Type.Optional(time('When the last message was queued.')),
  },
  exactly('SavedSearch'),
);
export type SavedSearch = Type.Static<typeof SavedSearch>;

export function savedSearchText(saved: DomainSavedSearch): string {
  const { search, language, createdAtMs, confirmedAtMs, endsAtMs, mailedAtMs } = saved;
  return recordText<SavedSearch>({
    search,
    language: language as MailLanguage,
    createdAt: timeText(createdAtMs),
    confirmedAt: optionalTime(confirmedAtMs),
    endsAt: timeText(endsAtMs),
    mailedAt: optionalTime(mailedAtMs),
  });
}

function optionalTime(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : timeText(ms);
}
