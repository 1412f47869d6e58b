import { useState } from 'react';
import { useFormatter, useTranslations } from 'use-intl';
import { curlCommand } from '../../api/curl-command.ts';
import { Badge, type Tone } from '../design/badge.tsx';
import { useByteSize } from '../design/byte-size.ts';
import { Code, CodeBlock } from '../design/code-block.tsx';
import type { RequestView } from './recorded-requests.ts';
import styles from './requests.module.css';

/** One request. Its details are rendered when they are opened. */
export function RequestItem({ request, url }: { request: RequestView; url: string }) {
  const t = useTranslations('requests');
  const format = useFormatter();
  const [isOpen, setOpen] = useState(false);
  const { method, path, status, startedAt, durationMs, operation } = request;
  return (
    <li className={styles['item']}>
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary className={styles['summary']}>
          <Badge tone={toneOf(status)}>{status ?? t('noResponse')}</Badge>
          <span className={styles['target']}>
            <b>{method}</b> {path}
          </span>
          <span className={styles['facts']}>
            {operation !== null && `${operation} · `}
            {format.number(durationMs, { style: 'unit', unit: 'millisecond', maximumSignificantDigits: 2 })}
            {' · '}
            <time dateTime={startedAt}>{format.dateTime(new Date(startedAt), { timeStyle: 'medium' })}</time>
          </span>
        </summary>
        {isOpen && <Details request={request} url={url} />}
      </details>
    </li>
  );
}

function Details({ request, url }: { request: RequestView; url: string }) {
  const t = useTranslations('requests');
  const { response } = request;
  return (
    <div className={styles['details']}>
      <CodeBlock
        label={t('command')}
        code={curlCommand(request, url)}
        copyLabel={t('copy')}
        copiedLabel={t('copied')}
      />
      <Message title={t('request')} message={request.request} />
      {response !== null && <Message title={t('response')} message={response} />}
      {response?.isComplete !== true && <p className={styles['note']}>{t('incomplete')}</p>}
    </div>
  );
}

function Message({ title, message }: { title: string; message: RequestView['request'] }) {
  const t = useTranslations('requests');
  const byteSize = useByteSize();
  const { headers, body, bodyBytes, isTruncated } = message;
  return (
    <section className={styles['message']}>
      <h2>{title}</h2>
      <dl className={styles['headers']}>
        {headers.map(({ name, value }, index) => (
          <div key={`${index} ${name}`}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {body !== null && <Code label={`${title}: ${t('body')}`} code={body} />}
      {bodyBytes > 0 && (isTruncated || body === null) && (
        <p className={styles['note']}>{t(isTruncated ? 'truncated' : 'notRecorded', { size: byteSize(bodyBytes) })}</p>
      )}
    </section>
  );
}

function toneOf(status: number | null): Tone {
  if (status === null || status >= 500) return 'danger';
  if (status >= 400) return 'pending';
  return status >= 300 ? 'neutral' : 'available';
}
