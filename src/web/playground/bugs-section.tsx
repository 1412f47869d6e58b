import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { FormError } from '../account/entry/form-error.tsx';
import { Section } from '../account/section.tsx';
import { Button } from '../design/buttons.tsx';
import { useAction } from '../service/action.ts';
import { bugsQuery, service, type BugView } from './playground-queries.ts';
import styles from '../account/section.module.css';

/** The planted bugs. Their descriptions are shown on request, because a test suite should find out. */
export function BugsSection({ of }: { of: string }) {
  const t = useTranslations('playground.bugs');
  const queries = useQueryClient();
  const [isDescribed, setDescribed] = useState(false);
  const { data: { bugs } = { bugs: [] }, error } = useQuery(bugsQuery(of));
  const change = useAction({
    mutationFn: (on: BugView['id'][]) => service.setPlaygroundBugs({ token: of, body: { on } }),
    onSuccess: () => queries.invalidateQueries(bugsQuery(of)),
  });
  // Until the service has confirmed it, as it was requested.
  const isOn = ({ id, on }: BugView) => (change.isPending ? change.variables.includes(id) : on);
  const toggle = (bug: BugView) =>
    change.mutate(bugs.filter((each) => isOn(each) !== (each.id === bug.id)).map(({ id }) => id));
  return (
    <Section
      title={t('title')}
      lead={t('lead')}
      actions={
        <Button variant="default" aria-pressed={isDescribed} onClick={() => setDescribed(!isDescribed)}>
          {t('describe')}
        </Button>
      }
    >
      <FormError error={change.error ?? error} />
      <ul className={styles['list']}>
        {bugs.map((bug) => (
          <Bug key={bug.id} bug={bug} isOn={isOn(bug)} isDescribed={isDescribed} onToggle={() => toggle(bug)} />
        ))}
      </ul>
    </Section>
  );
}

interface BugProps {
  bug: BugView;
  isOn: boolean;
  isDescribed: boolean;
  onToggle: () => void;
}

function Bug({ bug: { id, met }, isOn, isDescribed, onToggle }: BugProps) {
  const t = useTranslations('playground.bugs');
  return (
    <li className={styles['item']}>
      <label className={styles['itemTitle']}>
        <input type="checkbox" checked={isOn} onChange={onToggle} />
        {id}
      </label>
      <div>
        {isDescribed && <p className={styles['itemText']}>{t(`description.${id}`)}</p>}
        <p className={styles['itemText']}>{t('met', { met })}</p>
      </div>
    </li>
  );
}
