import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslations } from 'use-intl';
import { FormError } from '../account/entry/form-error.tsx';
import { Section } from '../account/section.tsx';
import { Button } from '../design/buttons.tsx';
import { useAction } from '../service/action.ts';
import { FaultForm } from './fault-form.tsx';
import { faultsQuery, service, type FaultRuleView, type NewFaultRule } from './playground-queries.ts';
import styles from '../account/section.module.css';

/** The rules for faults. A change replaces all of them, so their counts begin again. */
export function FaultsSection({ of }: { of: string }) {
  const t = useTranslations('playground.faults');
  const queries = useQueryClient();
  const query = faultsQuery(of);
  const { data: { rules } = { rules: [] }, error } = useQuery(query);
  const change = useAction({
    mutationFn: (changed: readonly NewFaultRule[]) =>
      service.setPlaygroundFaults({ token: of, body: { rules: [...changed] } }),
    onSuccess: (faults) => queries.setQueryData(query.queryKey, faults),
  });
  const sent = rules.map(withoutCounts);
  return (
    <Section title={t('title')} lead={t('lead')}>
      <FormError error={change.error ?? error} />
      <ul className={styles['list']}>
        {rules.map((rule, index) => (
          <li key={`${rule.seed} ${index}`} className={styles['item']}>
            <Rule rule={rule} />
            <Button variant="default" onClick={() => change.mutate(sent.toSpliced(index, 1))}>
              {t('delete')}
            </Button>
          </li>
        ))}
      </ul>
      <FaultForm isBusy={change.isPending} onSubmit={(rule) => change.mutate([...sent, rule])} />
    </Section>
  );
}

function Rule({ rule }: { rule: FaultRuleView }) {
  const { fault, operation, method, path, bodyFields, response, share, count, delayMs, matched, made } = rule;
  const t = useTranslations('playground.faults');
  const facts = [
    operation ?? ([method, path].join(' ').trim() || t('allOperations')),
    ...(bodyFields === undefined ? [] : [JSON.stringify(bodyFields)]),
    ...(response === undefined ? [] : [String(response.status)]),
    ...(share < 1 ? [t('shareOf', { percent: Math.round(share * 100) })] : []),
    ...(count === undefined ? [] : [t('times', { count })]),
    ...(delayMs > 0 ? [t('delayOf', { ms: delayMs })] : []),
  ];
  return (
    <div>
      <p className={styles['itemTitle']}>{t(`kind.${fault}`)}</p>
      <p className={styles['itemText']}>{facts.join(' · ')}</p>
      <p className={styles['itemText']}>{t('made', { made, matched })}</p>
    </div>
  );
}

function withoutCounts({ matched: _matched, made: _made, ...rule }: FaultRuleView): NewFaultRule {
  return rule;
}
