import { useTranslations } from 'use-intl';
import { Section } from '../../account/section.tsx';
import type { SystemView } from '../admin-queries.ts';
import styles from './system.module.css';

type Setting = SystemView['settings'][number];

/** The settings that differ from the defaults, and the others on demand. */
export function Settings({ settings }: Pick<SystemView, 'settings'>) {
  const t = useTranslations('administration.system.settings');
  const changed = settings.filter(({ source }) => source !== 'default');
  const others = settings.filter(({ source }) => source === 'default');
  return (
    <Section title={t('title')} lead={t('lead')}>
      {changed.length === 0 ? <p>{t('none')}</p> : <List settings={changed} />}
      <details>
        <summary className={styles['summary']}>{t('defaults', { count: others.length })}</summary>
        <List settings={others} />
      </details>
    </Section>
  );
}

function List({ settings }: { settings: readonly Setting[] }) {
  const t = useTranslations('administration.system.settings');
  return (
    <dl className={styles['settings']}>
      {settings.map(({ name, value, origin }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            {value === '' ? t('empty') : value}
            {origin !== '' && <span className="soft small">{origin}</span>}
          </dd>
        </div>
      ))}
    </dl>
  );
}
