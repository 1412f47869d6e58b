import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
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
import { ENQUIRIES_KEY, enquiriesOfPersonQuery } from './enquiry-queries.ts';

/** Finds and erases the enquiries of a person, who may demand both (GDPR, articles 15 and 17). */
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
      {searched !== undefined && !isWrong && <FoundEnquiries email={searched} onErased={onClose} />}
    </Dialog>
  );
}

function FoundEnquiries({ email, onErased }: { email: string; onErased: () => void }) {
  const t = useTranslations('enquiries.erase');
  const { dateTime } = useDateTimeFormats();
  const queries = useQueryClient();
  const { data, error, hasNextPage } = useInfiniteQuery({ ...enquiriesOfPersonQuery(email), staleTime: 0 });
  const erase = useAction({
    mutationFn: () => client.eraseEnquiries({ body: { email } }),
    onSuccess: ({ erased }) => {
      showNotice({ text: t('done', { count: erased }) });
      onErased();
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ENQUIRIES_KEY }),
  });
  const found = data?.pages.flatMap(({ items }) => items);
  return (
    <div className="stack" role="status">
      <FormError error={error ?? erase.error} />
      {found && <p>{t(hasNextPage ? 'foundMore' : 'found', { count: found.length })}</p>}
      {found && found.length > 0 && (
        <>
          <ul>
            {found.map(({ id, petName, createdAt }) => (
              <li key={String(id)}>
                {petName}, {dateTime(createdAt)}
              </li>
            ))}
          </ul>
          <Button variant="danger" loading={erase.isPending} onClick={() => erase.mutate()}>
            {t('confirm')}
          </Button>
        </>
      )}
    </div>
  );
}
