import { useFormatter, useTranslations } from 'use-intl';
import type { AboutPet } from '../../../api/web/first-view.ts';
import { PRIVATE_FIELDS, PROFILE_DEFINITIONS, type PrivateField } from '../../../api/web/profile-definitions.ts';
import { FactList, type Fact } from './fact-list.tsx';
import { dayOf, LONG_DATE, useOwnFacts } from './profile-words.ts';

/** Facts that the service sends only to users who may change pets. */
export function PrivateFacts({ about }: { about: AboutPet }) {
  const t = useTranslations('petPage.about');
  const word = useTranslations('profile.field');
  const format = useFormatter();
  const own = useOwnFacts(about, false);
  const { feeAmount = 0, feeCurrency } = about.profile;
  const isFeeHidden = feeAmount > 0 && feeCurrency === undefined;
  const textOf = (name: PrivateField) => {
    const value = about.profile[name];
    const isDate = PROFILE_DEFINITIONS[name].type === 'date';
    return isDate && value !== undefined ? format.dateTime(dayOf(value), LONG_DATE) : value;
  };
  const facts: readonly Fact[] = [
    [word('feeAmount'), isFeeHidden ? t('hiddenFee', { fee: format.number(feeAmount) }) : undefined],
    ...PRIVATE_FIELDS.map((name) => [word(name), textOf(name)] as const),
    ...own,
  ];
  if (facts.every(([, value]) => value === undefined)) return null;
  return (
    <section className="note screen-only" data-tone="neutral" aria-label={t('private')}>
      {t('private')}
      <FactList facts={facts} />
    </section>
  );
}
