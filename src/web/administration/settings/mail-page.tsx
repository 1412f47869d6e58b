import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'use-intl';
import { FormError } from '../../account/entry/form-error.tsx';
import { Section } from '../../account/section.tsx';
import { LinkButton } from '../../design/buttons.tsx';
import { AdminOnly, AdminPage } from '../admin-page.tsx';
import { systemQuery } from '../admin-queries.ts';
import { TestMail } from '../system/test-mail.tsx';
import { FixedSettings } from './fixed-settings.tsx';
import { mailSettingsQuery, type MailView } from './mail-fields.ts';
import { MailForm } from './mail-form.tsx';

export function MailPage() {
  return (
    <AdminOnly>
      <MailServer />
    </AdminOnly>
  );
}

function MailServer() {
  const t = useTranslations('administration.settings.mail');
  const { data, error } = useQuery({ ...mailSettingsQuery, refetchOnWindowFocus: false });
  return (
    <AdminPage title={t('title')} lead={t('lead')}>
      <FormError error={error} />
      {data?.settings && (
        <div className="stack">
          <State settings={data.settings} />
          {!data.settings.fixed.some(({ name }) => name === 'smtp-url') && (
            <MailForm key={data.etag} settings={data.settings} etag={data.etag} />
          )}
          <Test />
        </div>
      )}
    </AdminPage>
  );
}

function State({ settings: { missing, problem, fixed } }: { settings: MailView }) {
  const t = useTranslations('administration.settings.mail');
  return (
    <>
      {missing.length > 0 && <p className="note">{t('missing')}</p>}
      {problem !== undefined && (
        <p className="note" data-tone="danger">
          {t(`problem.${problem}`)}
        </p>
      )}
      <FixedSettings fixed={fixed} />
    </>
  );
}

/** Only of a service that sends e-mail. */
function Test() {
  const t = useTranslations('administration.settings.mail');
  const { data } = useQuery(systemQuery);
  if (data?.mail === undefined) return null;
  const queue = (
    <LinkButton variant="subtle" to="/admin/system">
      {t('queue')}
    </LinkButton>
  );
  return (
    <Section title={t('test')} lead={t('testLead')} actions={queue}>
      <TestMail />
    </Section>
  );
}
