import { useInfiniteQuery, useQueries, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { isMailAddress } from '../../api/enquiry-rules.ts';
import { WEB_PARTS } from '../../../../web/features/features.ts';
import { FormError } from '../../../../web/account/entry/form-error.tsx';
import { Button } from '../../../../web/design/buttons.tsx';
import { useDateTimeFormats } from '../../../../web/design/date-time.tsx';
import { Dialog } from '../../../../web/design/dialog.tsx';
import { TextField } from '../../../../web/design/fields/field.tsx';
import { showNotice } from '../../../../web/design/notices.ts';
import type { PersonalRecords } from '../../../../web/features/web-feature.ts';
import { useAction } from '../../../../web/service/action.ts';
import { client } from '../../../../web/service/client.ts';
import { usePermissions } from '../../../../web/service/current-user.ts';
import { ENQUIRIES_KEY } from './overview-query.ts';
import { enquiriesOfPersonQuery, recordsOfPersonQuery } from './enquiry-queries.ts';

/**
 * Finds and erases the enquiries of a person, and for administrators the records of features: a person may demand both
 * (GDPR, articles 15 and 17).
 */
export function ErasePersonDialog({ onClose }: { onClose: () => void }) {
  const t = useTranslations('enquiries.erase');
  const [email, setEmail] = useState('');
  const [searched, setSearched] = useState<string>();
  const isWrong = searched !== undefined && !isMailAddress(searched);
  return (
    <Dialog isOpen onClose={onClose} title={t('title')} size="small">
      <form
        className="stack"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          setSearched(email.trim());
        }}
      >
        <p className="soft">{t('text')}</p>
        <TextField
          label={t('email')}
          type="email"
          autoComplete="off"
          data-autofocus
          value={email}
          error={isWrong ? t('malformed') : undefined}
          onChange={({ currentTarget }) => {
            setEmail(currentTarget.value);
            setSearched(undefined);
          }}
        />
        <Button type="submit" variant="default">
          {t('find')}
        </Button>
      </form>
      {searched !== undefined && !isWrong && <FoundRecords email={searched} onErased={onClose} />}
    </Dialog>
  );
}

function FoundRecords({ email, onErased }: { email: string; onErased: () => void }) {
  const t = useTranslations('enquiries.erase');
  const { dateTime } = useDateTimeFormats();
  const all = useTranslations();
  const { data, error, hasNextPage } = useInfiniteQuery({ ...enquiriesOfPersonQuery(email), staleTime: 0 });
  const others = useRecordsOfFeatures(email);
  const records = others.flatMap((each) => each.data ?? []);
  const erase = useErasure(email, records, onErased);
  // Shown together, so that the dialog lists everything before it is erased.
  const found = records.length === others.length ? data?.pages.flatMap(({ items }) => items) : undefined;
  const total = records.reduce((sum, { count }) => sum + count, found?.length ?? 0);
  return (
    <div className="stack" role="status">
      <FormError error={error ?? others.find((each) => each.error)?.error ?? erase.error} />
      {found && <p>{t(hasNextPage ? 'foundMore' : 'found', { count: found.length })}</p>}
      {found && found.length > 0 && (
        <ul>
          {found.map(({ id, petName, createdAt }) => (
            <li key={String(id)}>
              {petName}, {dateTime(createdAt)}
            </li>
          ))}
        </ul>
      )}
      {found && records.map(({ records: each, count }, index) => <p key={index}>{each.found(all, count)}</p>)}
      {found && total > 0 && (
        <Button variant="danger" loading={erase.isPending} onClick={() => erase.mutate()}>
          {t('confirm')}
        </Button>
      )}
    </div>
  );
}

/** For administrators. */
function useRecordsOfFeatures(email: string) {
  const { administer } = usePermissions();
  const loads = administer ? WEB_PARTS.flatMap(({ loadRecords }) => loadRecords ?? []) : [];
  return useQueries({
    queries: loads.map((load, index) => ({ ...recordsOfPersonQuery(load, index, email), staleTime: 0 })),
  });
}

function useErasure(email: string, records: readonly { records: PersonalRecords }[], onErased: () => void) {
  const t = useTranslations('enquiries.erase');
  const all = useTranslations();
  const queries = useQueryClient();
  return useAction({
    mutationFn: async () => {
      const done: string[] = [];
      for (const { records: each } of records) done.push(each.done(all, await each.erase(email)));
      const { erased: count } = await client.eraseEnquiries({ body: { email } });
      return [t('done', { count }), ...done].join(' ');
    },
    onSuccess: (text) => {
      showNotice({ text });
      onErased();
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ENQUIRIES_KEY }),
  });
}
