import { Copy, CopyCheck, Download, Printer } from 'lucide-react';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { Button } from '../../design/buttons.tsx';
import { bootstrap } from '../../service/bootstrap.ts';
import { downloadText } from '../../service/files.ts';
import styles from './factors.module.css';

interface RecoveryCodesProps {
  codes: readonly string[];
  onDone: () => void;
}

/** New recovery codes, which are shown only once. */
export function RecoveryCodes({ codes, onDone }: RecoveryCodesProps) {
  const t = useTranslations('signIn.codes');
  const once = useTranslations('account.once');
  const [state, setState] = useState<'shown' | 'copied' | 'refused'>('shown');
  const icon = { size: '1.1em', 'aria-hidden': true } as const;
  const text = codes.join('\n');
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setState('copied'),
      // Over plain HTTP, or without permission, scripts cannot write to the clipboard.
      () => setState('refused'),
    );
  // The dialog may open under the pointer: the second click of a double click does not close it.
  const done = ({ detail }: { detail: number }) => {
    if (detail < 2) onDone();
  };
  return (
    <div className="stack">
      <p className="note" data-tone="pending">
        {t('text')}
      </p>
      <ol className={styles['codes']}>
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ol>
      <div className="row">
        <Button
          variant="default"
          leftSection={state === 'copied' ? <CopyCheck {...icon} /> : <Copy {...icon} />}
          data-autofocus
          onClick={() => void copy()}
        >
          {once(state === 'copied' ? 'copied' : 'copy')}
        </Button>
        <Button
          variant="default"
          leftSection={<Download {...icon} />}
          onClick={() => downloadText(`${text}\n`, `${t('file', { site: bootstrap.site.name })}.txt`, 'text/plain')}
        >
          {t('download')}
        </Button>
        <Button variant="default" leftSection={<Printer {...icon} />} onClick={() => window.print()}>
          {t('print')}
        </Button>
      </div>
      <p role="status" className={state === 'refused' ? 'soft' : 'visually-hidden'}>
        {state === 'refused' && t('notCopied')}
        {state === 'copied' && once('copied')}
      </p>
      <Button onClick={done}>{t('done')}</Button>
    </div>
  );
}
