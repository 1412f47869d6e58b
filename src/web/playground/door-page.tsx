import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { FormError } from '../account/entry/form-error.tsx';
import { Section } from '../account/section.tsx';
import { Button } from '../design/buttons.tsx';
import { useDateTimeFormats } from '../design/date-time.tsx';
import { SelectField } from '../design/fields/field.tsx';
import { Page } from '../design/page.tsx';
import { SecretField } from '../design/secret-field.tsx';
import { NoAccess } from '../routing/access.tsx';
import { useAction } from '../service/action.ts';
import { client } from '../service/client.ts';
import { may, useCurrentUser } from '../service/current-user.ts';
import { ownPlaygroundQuery, rememberPlayground, type PlaygroundView } from './own-playground.ts';
import { Snippets } from './snippets.tsx';

/** Creates a playground, and says how to use it. The API of the service is asked, so that nothing is recorded. */
export function DoorPage() {
  const t = useTranslations('playground.door');
  const mayCreate = may(useCurrentUser(), 'create playgrounds');
  const own = useQuery({ ...ownPlaygroundQuery, enabled: mayCreate });
  if (!mayCreate)
    return (
      <NoAccess title={t('title')} loginLabel={t('logIn')} homeLabel={t('home')}>
        {t('forAdministrators')}
      </NoAccess>
    );
  return (
    <Page title={t('title')} lead={t('lead')} isNarrow>
      {own.data && <Found playground={own.data} />}
      {!own.data && !own.isPending && <Creation error={own.error} />}
      {!own.isPending && <Choice />}
    </Page>
  );
}

const CONTENTS = ['samples', 'empty'] as const;

function Creation({ error }: { error: Error | null }) {
  const t = useTranslations('playground.door');
  const queries = useQueryClient();
  const [contents, setContents] = useState<(typeof CONTENTS)[number]>('samples');
  const creation = useAction({
    mutationFn: () => client.createPlayground({ body: { contents } }),
    onSuccess: (created) => rememberPlayground(queries, created),
  });
  return (
    <Section title={t('create.title')} lead={t('create.lead')}>
      <FormError error={creation.error ?? error} />
      <SelectField
        label={t('data')}
        value={contents}
        disabled={creation.isPending}
        onChange={({ currentTarget: { value } }) => setContents(CONTENTS.find((each) => each === value) ?? 'samples')}
      >
        {CONTENTS.map((each) => (
          <option key={each} value={each}>
            {t(`contents.${each}`)}
          </option>
        ))}
      </SelectField>
      <div>
        <Button loading={creation.isPending} onClick={() => creation.mutate()}>
          {t('create.button')}
        </Button>
      </div>
    </Section>
  );
}

function Found({ playground: { base, page, contents, expiresAt, recordRequests } }: { playground: PlaygroundView }) {
  const t = useTranslations('playground.door');
  const { exactDateTime } = useDateTimeFormats();
  return (
    <>
      <Section title={t('own.title')} lead={t('own.lead', { time: exactDateTime(expiresAt) })}>
        <SecretField label={t('base')} value={base} />
        <p>
          {t('own.data', {
            contents: contents === 'samples' || contents === 'empty' ? t(`contents.${contents}`) : contents,
          })}
        </p>
        <ul>
          <li>
            <a href={`${page}playground`}>{t('own.settings')}</a>
          </li>
          {recordRequests && (
            <li>
              <a href={`${page}requests`}>{t('own.requests')}</a>
            </li>
          )}
          <li>
            <a href={`${page}docs`}>{t('own.docs')}</a>
          </li>
          <li>
            <a href={page}>{t('own.pages')}</a>
          </li>
        </ul>
      </Section>
      <Section title={t('use.title')} lead={t('use.lead')}>
        <Snippets base={base} />
      </Section>
    </>
  );
}

const WAYS = ['reset', 'snapshot', 'playground', 'inProcess'] as const;

/** Which of the ways to a clean state suits. */
function Choice() {
  const t = useTranslations('playground.door.choice');
  return (
    <Section title={t('title')}>
      <dl>
        {WAYS.map((way) => (
          <div key={way}>
            <dt>
              <strong>{t(`${way}.name`)}</strong>
            </dt>
            <dd>{t(`${way}.text`)}</dd>
          </div>
        ))}
      </dl>
    </Section>
  );
}
