import { Mail } from 'lucide-react';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { countInputOf, type CatalogueSearch } from '../../../api/web/catalogue-search.ts';
import { MenagerieError } from '../../../client/failures.ts';
import { Button } from '../../../web/design/buttons.tsx';
import { Dialog } from '../../../web/design/dialog.tsx';
import { TextField } from '../../../web/design/fields/field.tsx';
import { showNotice } from '../../../web/design/notices.ts';
import { useAction } from '../../../web/service/action.ts';
import { bootstrap } from '../../../web/service/bootstrap.ts';
import { plainClient } from '../../../web/service/client.ts';
import { useFailureText } from '../../../web/service/failure-text.ts';
import { isLongLimit } from '../../../web/service/long-limit.ts';
import { useLanguage } from '../../../web/texts/loaded-texts.ts';

/** Has new matches of a search with filters sent by e-mail. Without the sidebar, the label of the button is short. */
export function MailMatches({ search, isWide }: { search: CatalogueSearch; isWide: boolean }) {
  const t = useTranslations('savedSearches');
  const [isOpen, setIsOpen] = useState(false);
  const isClosed = bootstrap.closedForms?.includes('saved-searches') ?? false;
  const close = () => setIsOpen(false);
  const query = queryOf(search);
  if (query === '') return null;
  return (
    <>
      <Button variant="default" aria-label={t('open')} onClick={() => setIsOpen(true)}>
        <Mail size="1.25em" aria-hidden="true" />
        {t(isWide ? 'open' : 'short')}
      </Button>
      {isOpen && !isClosed && <MailDialog query={query} onClose={close} />}
      {isOpen && isClosed && (
        <Dialog isOpen onClose={close} title={t('title')} size="small">
          <p>{t('closed')}</p>
        </Dialog>
      )}
    </>
  );
}

function MailDialog({ query, onClose }: { query: string; onClose: () => void }) {
  const t = useTranslations('savedSearches');
  const cancel = useTranslations('app')('cancel');
  const failureText = useFailureText();
  const language = useLanguage();
  const [email, setEmail] = useState('');
  const save = useAction({
    mutationFn: () => plainClient.createSavedSearch({ body: { email: email.trim(), search: query, language } }),
    onSuccess: () => {
      showNotice({ text: t('sent') });
      onClose();
    },
  });
  const isMalformed = save.error instanceof MenagerieError && save.error.errors.some(({ path }) => path === '/email');
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t('title')}
      size="small"
      actions={
        <>
          <Button variant="default" onClick={onClose}>
            {cancel}
          </Button>
          <Button type="submit" form="save-search" loading={save.isPending}>
            {t('submit')}
          </Button>
        </>
      }
    >
      <form
        id="save-search"
        className="stack"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate();
        }}
      >
        <p>{t('lead')}</p>
        <TextField
          label={t('email')}
          type="email"
          autoComplete="email"
          data-autofocus
          value={email}
          error={isMalformed ? t('malformed') : undefined}
          onChange={({ currentTarget }) => {
            save.reset();
            setEmail(currentTarget.value);
          }}
        />
        <div role="alert">
          {save.error !== null && !isMalformed && (
            <p className="note" data-tone="danger">
              {isLongLimit(save.error) ? t('closed') : failureText(save.error)}
            </p>
          )}
        </div>
      </form>
    </Dialog>
  );
}

/** The filters of a search; only published, available pets are sent. Empty without filters. */
function queryOf(search: CatalogueSearch): string {
  const { status: _status, published: _published, ...filters } = countInputOf(search);
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(filters)) for (const each of [value].flat()) query.append(name, each);
  query.sort();
  return query.toString();
}
