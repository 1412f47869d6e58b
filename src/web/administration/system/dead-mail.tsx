import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslations } from 'use-intl';
import { FormError } from '../../account/entry/form-error.tsx';
import { Button } from '../../design/buttons.tsx';
import { useDateTimeFormats } from '../../design/date-time.tsx';
import { showNotice } from '../../design/notices.ts';
import { useAction } from '../../service/action.ts';
import { client } from '../../service/client.ts';
import { useFailureText } from '../../service/failure-text.ts';
import { deadMailQuery, systemQuery, type DeadMailView } from '../admin-queries.ts';
import sectionStyles from '../../account/section.module.css';

/** The messages that could not be sent; nothing without one. */
export function DeadMail() {
  const t = useTranslations('administration.system.mail.letters');
  const { data: messages = [], error } = useQuery(deadMailQuery);
  if (messages.length === 0) return <FormError error={error} />;
  return (
    <>
      <h3>{t('title')}</h3>
      <ul className={sectionStyles['list']}>
        {messages.map((message) => (
          <Item key={message.id} message={message} />
        ))}
      </ul>
    </>
  );
}

function Item({ message }: { message: DeadMailView }) {
  const t = useTranslations('administration.system.mail.letters');
  const { exactDateTime } = useDateTimeFormats();
  // A later version may have queued the message.
  const kindName = (name: string) => (t.has(`kinds.${name as 'test'}`) ? t(`kinds.${name as 'test'}`) : name);
  const { id, kind, recipient, failedAt, attempts, lastError } = message;
  const retry = useEnd('retried', () => client.retryDeadMail({ mailId: id }));
  const deletion = useEnd('deleted', () => client.deleteDeadMail({ mailId: id }));
  const isBusy = retry.isPending || deletion.isPending;
  return (
    <li className={sectionStyles['item']}>
      <div>
        <p className={sectionStyles['itemTitle']}>
          {kindName(kind)}, {recipient}
        </p>
        {lastError !== undefined && <p className={sectionStyles['itemText']}>{lastError}</p>}
        <p className={sectionStyles['itemText']}>{t('failed', { when: exactDateTime(failedAt), count: attempts })}</p>
      </div>
      <div className="row">
        <Button
          variant="default"
          disabled={isBusy}
          aria-label={t('retryOne', { recipient })}
          onClick={() => retry.mutate()}
        >
          {t('retry')}
        </Button>
        <Button
          variant="default"
          disabled={isBusy}
          aria-label={t('deleteOne', { recipient })}
          onClick={() => deletion.mutate()}
        >
          {t('delete')}
        </Button>
      </div>
    </li>
  );
}

function useEnd(done: 'retried' | 'deleted', mutationFn: () => Promise<unknown>) {
  const t = useTranslations('administration.system.mail.letters');
  const queries = useQueryClient();
  const failureText = useFailureText();
  return useAction({
    mutationFn,
    onSuccess: () => showNotice({ text: t(done) }),
    onError: (error) => showNotice({ text: failureText(error), isError: true }),
    // Includes the messages, whose key starts with that of the system.
    onSettled: () => queries.invalidateQueries(systemQuery),
  });
}
