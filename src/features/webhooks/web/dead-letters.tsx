import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { RotateCw } from 'lucide-react';
import { useTranslations } from 'use-intl';
import { FormError } from '../../../web/account/entry/form-error.tsx';
import { Section } from '../../../web/account/section.tsx';
import { Button, MoreButton } from '../../../web/design/buttons.tsx';
import { useDateTimeFormats } from '../../../web/design/date-time.tsx';
import { showNotice } from '../../../web/design/notices.ts';
import { useAction } from '../../../web/service/action.ts';
import { client } from '../../../web/service/client.ts';
import { useFailureText } from '../../../web/service/failure-text.ts';
import { deadLettersQuery, webhooksQuery, type DeadLetterView } from './webhook-queries.ts';
import sectionStyles from '../../../web/account/section.module.css';

/** The deliveries that are no longer retried, with buttons that retry them. */
export function DeadLetters({ webhookId }: { webhookId: string }) {
  const t = useTranslations('administration.webhooks.letters');
  const moreLabel = useTranslations('administration')('more');
  const found = useInfiniteQuery(deadLettersQuery(webhookId));
  const retry = useRetry(webhookId);
  const letters = found.data?.pages.flatMap(({ items }) => items);
  return (
    <Section
      title={t('title')}
      lead={t('lead')}
      actions={
        letters !== undefined &&
        letters.length > 0 && (
          <Button
            leftSection={<RotateCw size="1.1em" aria-hidden />}
            loading={retry.isPending}
            onClick={() => retry.mutate(undefined)}
          >
            {t('retryAll')}
          </Button>
        )
      }
    >
      <FormError error={found.error} />
      {letters?.length === 0 && <p className={sectionStyles['lead']}>{t('none')}</p>}
      {letters !== undefined && letters.length > 0 && (
        <ul className={sectionStyles['list']}>
          {letters.map((letter) => (
            <Item
              key={String(letter.id)}
              letter={letter}
              isBusy={retry.isPending}
              onRetry={() => retry.mutate(letter.id)}
            />
          ))}
        </ul>
      )}
      <MoreButton list={found} label={moreLabel} />
    </Section>
  );
}

/** Retries a dead letter; all of them without an ID. */
function useRetry(webhookId: string) {
  const t = useTranslations('administration.webhooks.letters');
  const queries = useQueryClient();
  const failureText = useFailureText();
  return useAction({
    mutationFn: (letterId: bigint | undefined) =>
      letterId === undefined ? client.retryDeadLetters({ webhookId }) : client.retryDeadLetter({ webhookId, letterId }),
    onSuccess: () => showNotice({ text: t('retried') }),
    onError: (error) => showNotice({ text: failureText(error), isError: true }),
    // Includes the dead letters, whose key starts with that of the webhooks.
    onSettled: () => queries.invalidateQueries(webhooksQuery),
  });
}

interface ItemProps {
  letter: DeadLetterView;
  isBusy: boolean;
  onRetry: () => void;
}

function Item({ letter: { id, attempts, lastStatus, lastError, lastAt }, isBusy, onRetry }: ItemProps) {
  const t = useTranslations('administration.webhooks.letters');
  const { exactDateTime } = useDateTimeFormats();
  const event = t('event', { id: String(id) });
  return (
    <li className={sectionStyles['item']}>
      <div>
        <p className={sectionStyles['itemTitle']}>{event}</p>
        <p className={sectionStyles['itemText']}>{lastError ?? t('status', { status: String(lastStatus) })}</p>
        <p className={sectionStyles['itemText']}>{t('attempts', { count: attempts, time: exactDateTime(lastAt) })}</p>
      </div>
      <Button variant="default" disabled={isBusy} aria-label={t('retryOne', { event })} onClick={onRetry}>
        {t('retry')}
      </Button>
    </li>
  );
}
