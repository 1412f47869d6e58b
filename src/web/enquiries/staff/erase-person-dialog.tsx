import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { isMailAddress } from '../../../api/web/enquiry-rules.ts';
import { FormError } from '../../account/entry/form-error.tsx';
import { Button } from '../../design/buttons.tsx';
import { useDateTimeFormats } from '../../design/date-time.tsx';
import { Dialog } from '../../design/dialog.tsx';
import { TextField } from '../../design/fields/field.tsx';
import { showNotice } from '../../design/notices.ts';
import { useAction } from '../../service/action.ts';
import { client } from '../../service/client.ts';
import { usePermissions } from '../../service/current-user.ts';
import { ENQUIRIES_KEY, enquiriesOfPersonQuery, searchesOfPersonQuery } from './enquiry-queries.ts';

/**
 * Finds and erases the enquiries of a person, and for administrators the saved searches: a person may demand both
 * (GDPR, articles 15 and 17).
 */
export function ErasePersonDialog({ onClose }: { onClose: () => void }) {
  const t = useTranslations('enquiries.erase');
  const { administer } = usePermissions();
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
        <p className="soft">{t(administer ? 'textOfAdministrators' : 'text')}</p>
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
  const { administer } = usePermissions();
  const { data, error, hasNextPage } = useInfiniteQuery({ ...enquiriesOfPersonQuery(email), staleTime: 0 });
  const searches = useQuery({ ...searchesOfPersonQuery(email), staleTime: 0, enabled: administer });
  const erase = useErasure(email, onErased);
  // Shown together, so that the dialog lists everything before it is erased.
  const found = administer && !searches.data ? undefined : data?.pages.flatMap(({ items }) => items);
  const searchCount = searches.data?.length ?? 0;
  return (
    <div className="stack" role="status">
      <FormError error={error ?? searches.error ?? erase.error} />
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
      {found && administer && <p>{t('foundSearches', { count: searchCount })}</p>}
      {found && found.length + searchCount > 0 && (
        <Button variant="danger" loading={erase.isPending} onClick={() => erase.mutate()}>
          {t('confirm')}
        </Button>
      )}
    </div>
  );
}

function useErasure(email: string, onErased: () => void) {
  const t = useTranslations('enquiries.erase');
  const queries = useQueryClient();
  const { administer } = usePermissions();
  return useAction({
    mutationFn: async () => {
      const body = { email };
      const searches = administer ? (await client.eraseSavedSearches({ body })).erased : undefined;
      const { erased: enquiries } = await client.eraseEnquiries({ body });
      return { searches, enquiries };
    },
    onSuccess: ({ searches, enquiries }) => {
      const text = searches === undefined ? t('done', { count: enquiries }) : t('doneAll', { enquiries, searches });
      showNotice({ text });
      onErased();
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ENQUIRIES_KEY }),
  });
}
