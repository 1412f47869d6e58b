import { useTranslations } from 'use-intl';
import type { FindingView } from '../admin-queries.ts';
import { Badge } from '../../design/badge.tsx';
import { useFindingTexts } from './finding-texts.ts';
import styles from './health.module.css';

/** The number of affected records that are shown of a finding. */
const MAX_SHOWN = 10;

/** The problems, errors first, and the names of the checks that found none. */
export function Findings({ findings }: { findings: readonly FindingView[] }) {
  const t = useTranslations('administration.health');
  const { titleOf } = useFindingTexts();
  const passed = findings.filter(({ severity }) => severity === 'ok');
  const problems = (['error', 'warning'] as const).flatMap((severity) =>
    findings.filter((finding) => finding.severity === severity),
  );
  return (
    <>
      {problems.length > 0 && (
        <ul className={styles['findings']}>
          {problems.map((finding) => (
            <li key={`${finding.check} ${finding.problem} ${finding.message}`}>
              <Finding finding={finding} />
            </li>
          ))}
        </ul>
      )}
      {passed.length > 0 && (
        <section>
          <h2 className={styles['heading']}>{t('passed')}</h2>
          <ul className={styles['passed']}>
            {passed.map(({ check }) => (
              <li key={check}>{titleOf(check)}</li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

function Finding({ finding }: { finding: FindingView }) {
  const t = useTranslations('administration.health');
  const { textsOf } = useFindingTexts();
  const { message, advice } = textsOf(finding);
  const { severity, subjects, count } = finding;
  const shown = subjects.slice(0, MAX_SHOWN);
  return (
    <>
      <p className="row">
        <Badge tone={severity === 'error' ? 'danger' : 'neutral'}>{t(`severity.${severity}`)}</Badge>
        {message}
      </p>
      {shown.length > 0 && (
        <ul className={styles['subjects']}>
          {shown.map((subject) => (
            <li key={subject}>{subject}</li>
          ))}
          {count > shown.length && <li>{t('more', { count: count - shown.length })}</li>}
        </ul>
      )}
      <p className={styles['advice']}>{advice}</p>
    </>
  );
}
