import { useTranslations } from 'use-intl';
import { Section } from '../../account/section.tsx';
import adminStyles from '../administration.module.css';
import type { MailView } from './mail-fields.ts';

/** Settings that the operator has set, and where: nobody can change them here. */
export function FixedSettings({ fixed }: { fixed: MailView['fixed'] }) {
  const t = useTranslations('administration.settings');
  if (fixed.length === 0) return null;
  return (
    <Section title={t('fixedTitle')} lead={t('fixed')}>
      <dl className={adminStyles['facts']}>
        {fixed.map(({ name, value, origin }) => (
          <div key={name}>
            <dt>{origin}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </Section>
  );
}
