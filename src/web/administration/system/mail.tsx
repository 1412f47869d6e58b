import { useQueryClient } from '@tanstack/react-query';
import { useTranslations } from 'use-intl';
import { Section } from '../../account/section.tsx';
import { Button } from '../../design/buttons.tsx';
import { useDateTimeFormats } from '../../design/date-time.tsx';
import { showNotice } from '../../design/notices.ts';
import { useAction } from '../../service/action.ts';
import { client } from '../../service/client.ts';
import { useFailureText } from '../../service/failure-text.ts';
import { systemQuery, type SystemView } from '../admin-queries.ts';
import { DeadMail } from './dead-mail.tsx';
import { TestMail } from './test-mail.tsx';
import adminStyles from '../administration.module.css';

/** The queue of e-mail, and a form that sends a test message. */
export function Mail({ mail }: { mail: NonNullable<SystemView['mail']> }) {
  const t = useTranslations('administration.system.mail');
  const { exactDateTime } = useDateTimeFormats();
  const { waiting, unknown, oldestAt, dead, lastError } = mail;
  const facts = [
    [t('waiting'), waiting.toString()],
    [t('unknown'), unknown === 0 ? undefined : unknown.toString()],
    [t('oldest'), oldestAt === undefined ? undefined : exactDateTime(oldestAt)],
    [t('dead'), dead.toString()],
    [t('lastError'), lastError],
  ] as const;
  return (
    <Section title={t('title')} lead={t('lead')}>
      <dl className={adminStyles['facts']}>
        {facts.map(
          ([name, value]) =>
            value !== undefined && (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </div>
            ),
        )}
      </dl>
      {waiting > 0 && <RetryButton />}
      <DeadMail />
      <TestMail />
    </Section>
  );
}

function RetryButton() {
  const t = useTranslations('administration.system.mail');
  const queries = useQueryClient();
  const failureText = useFailureText();
  const retry = useAction({
    mutationFn: () => client.retryWaitingMail({}),
    onSuccess: () => showNotice({ text: t('retriedWaiting') }),
    onError: (error) => showNotice({ text: failureText(error), isError: true }),
    onSettled: () => queries.invalidateQueries(systemQuery),
  });
  return (
    <div>
      <Button variant="default" loading={retry.isPending} onClick={() => retry.mutate()}>
        {t('retryWaiting')}
      </Button>
    </div>
  );
}
