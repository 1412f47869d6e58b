import { useTranslations } from 'use-intl';
import type { AboutPet } from '../../../api/web/first-view.ts';
import { PageLink } from '../../design/page-link.tsx';
import { FactList } from './fact-list.tsx';
import { useOwnFacts, useProfileWords, type WeighingSite } from './profile-words.ts';

/** The summary, the facts, and the pets that must be adopted together with this one. */
export function ProfileFacts({ about, site }: { about: AboutPet; site: WeighingSite }) {
  const t = useTranslations('petPage.about');
  const word = useTranslations('profile');
  const { profile, bonded } = about;
  const words = useProfileWords(about, site);
  const own = useOwnFacts(about, true);
  const choice = (field: 'species' | 'sex' | 'size' | 'coat' | 'energy') => {
    const value = profile[field];
    return [word(`field.${field}`), value && word(`${field}.${value}` as 'species.dog')] as const;
  };
  return (
    <>
      {profile.summary !== undefined && <p className="row">{profile.summary}</p>}
      <section aria-label={t('facts')}>
        <FactList
          facts={[
            choice('species'),
            [word('field.breedPrimary'), words.breed],
            [t('age'), words.age],
            choice('sex'),
            choice('size'),
            [word('field.weightKg'), words.weight],
            [word('field.colours'), words.colours],
            [word('field.pattern'), words.pattern],
            choice('coat'),
            choice('energy'),
            [word('field.location'), words.place],
            [t('since'), words.since],
            [word('field.feeAmount'), words.fee],
            ...own,
          ]}
        />
      </section>
      {bonded.length > 0 && (
        <div className="note" data-tone="accent">
          {t('bonded')}
          <ul>
            {bonded.map(({ id, name }) => (
              <li key={String(id)}>
                <PageLink to="/pets/$petId" params={{ petId: String(id) }}>
                  {name}
                </PageLink>
              </li>
            ))}
          </ul>
        </div>
      )}
    </>
  );
}
