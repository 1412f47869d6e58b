import { useTranslations } from 'use-intl';
import type { AboutPet } from '../../../api/web/first-view.ts';
import type { Site } from '../../../api/web/site.ts';
import { FactList, type Fact } from './fact-list.tsx';
import styles from './profile.module.css';
import { COMPANION_FIELDS, useOwnFacts, useProfileWords, useYesNo } from './profile-words.ts';

/** All public facts but those beside the name, in groups. */
export function ProfileFacts({ about, site }: { about: AboutPet; site: Site }) {
  const t = useTranslations('petPage.about');
  const word = useTranslations('profile');
  const { profile } = about;
  const words = useProfileWords(about, site);
  const goodWith = useGoodWith(about);
  const health = useHealth(about, site);
  const own = useOwnFacts(about, true);
  const choice = (field: 'species' | 'coat' | 'energy') => {
    const value = profile[field];
    return [word(`field.${field}`), value && word(`${field}.${value}` as 'species.dog')] as const;
  };
  const groups: readonly (readonly [title: string, facts: readonly Fact[]])[] = [
    [t('goodWith'), goodWith],
    [
      t('look'),
      [
        choice('species'),
        [word('field.breedPrimary'), words.breed],
        [word('field.weightKg'), words.weight],
        [word('field.colours'), words.colours],
        [word('field.pattern'), words.pattern],
        choice('coat'),
      ],
    ],
    [t('health'), [choice('energy'), ...health]],
    [
      t('adoption'),
      [
        [word('field.feeAmount'), words.fee],
        [word('field.location'), words.place],
        [t('since'), words.since],
      ],
    ],
    [t('more'), own],
  ];
  const known = groups.filter(([, facts]) => facts.some(([, value = '']) => value !== ''));
  if (known.length === 0) return null;
  return (
    <section aria-labelledby="facts">
      <h2 id="facts">{t('facts')}</h2>
      <div className={styles['groups']}>
        {known.map(([title, facts]) => (
          <div key={title}>
            <h3>{title}</h3>
            <FactList facts={facts} />
          </div>
        ))}
      </div>
    </section>
  );
}

/** Adopters ask about children, dogs and cats, so these are shown even if they are not known yet. */
function useGoodWith({ profile }: AboutPet): readonly Fact[] {
  const t = useTranslations('petPage.about');
  const word = useTranslations('profile.field');
  const yesNo = useYesNo();
  const { isPublished: _published, ...known } = profile;
  if (Object.keys(known).length === 0) return [];
  return COMPANION_FIELDS.map((field) => {
    const value = yesNo(profile[field]);
    return [word(field), field === 'goodWithOthers' ? value : (value ?? t('notKnown'))];
  });
}

const HEALTH = [
  ...(['isAltered', 'vaccinationsAreCurrent', 'isDeclawed', 'hasSpecialNeeds', 'specialNeedsNote'] as const),
  ...(['hasSpecialDiet', 'isFivPositive', 'isHeartwormPositive'] as const),
  ...(['isHouseTrained', 'isCrateTrained', 'isLeashTrained', 'isIndoorOnly'] as const),
];

function useHealth({ profile }: AboutPet, { unasked = [] }: Site): readonly Fact[] {
  const notShown: readonly string[] = unasked;
  const word = useTranslations('profile.field');
  const yesNo = useYesNo();
  return HEALTH.filter((field) => !notShown.includes(field)).map((field) => {
    const value = profile[field];
    return [word(field), typeof value === 'string' ? value : yesNo(value)];
  });
}
