import { Cake, HeartHandshake, Ruler, VenusAndMars, type LucideIcon } from 'lucide-react';
import { useFormatter, useTranslations } from 'use-intl';
import type { AboutPet } from '../../../api/web/first-view.ts';
import styles from './profile.module.css';
import { COMPANION_FIELDS, useProfileWords, type WeighingSite } from './profile-words.ts';

interface KeyFactProps {
  Icon: LucideIcon;
  name: string;
  value: string | undefined;
}

/** The facts by which families choose. The others are below the story. */
export function KeyFacts({ about, site }: { about: AboutPet; site: WeighingSite }) {
  const t = useTranslations('petPage.about');
  const word = useTranslations('profile');
  const format = useFormatter();
  const { age } = useProfileWords(about, site);
  const { profile } = about;
  const { sex, size } = profile;
  const companions = COMPANION_FIELDS.filter((field) => profile[field] === true).map((field) => word(`field.${field}`));
  const facts: readonly KeyFactProps[] = [
    { Icon: Cake, name: t('age'), value: age },
    { Icon: VenusAndMars, name: word('field.sex'), value: sex && word(`sex.${sex}`) },
    { Icon: Ruler, name: word('field.size'), value: size && word(`size.${size}`) },
    { Icon: HeartHandshake, name: t('goodWith'), value: format.list(companions) },
  ];
  const known = facts.filter(({ value = '' }) => value !== '');
  if (known.length === 0) return null;
  return (
    <section aria-label={t('glance')}>
      <dl className={styles['keys']}>
        {known.map(({ Icon, name, value }) => (
          <div key={name}>
            <dt className="soft small">
              <Icon size="1.25em" aria-hidden />
              {name}
            </dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
