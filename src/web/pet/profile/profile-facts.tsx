import { useTranslations } from 'use-intl';
import type { AboutPet } from '../../../api/web/first-view.ts';
import { PageLink } from '../../design/page-link.tsx';
import { FactList } from './fact-list.tsx';
import { useProfileWords } from './profile-words.ts';

/** The summary, the facts, and the pets that must be adopted together with this one. */
export function ProfileFacts({ about }: { about: AboutPet }) {
  const t = useTranslations('petPage.about');
  const word = useTranslations('profile');
  const { profile, bonded } = about;
  const { species, sex, size, pattern, coat, energy } = profile;
  const words = useProfileWords(about);
  return (
    <>
      {profile.summary !== undefined && <p className="row">{profile.summary}</p>}
      <section aria-label={t('facts')}>
        <FactList
          facts={[
            [word('field.species'), species && word(`species.${species}`)],
            [word('field.breedPrimary'), words.breed],
            [t('age'), words.age],
            [word('field.sex'), sex && word(`sex.${sex}`)],
            [word('field.size'), size && word(`size.${size}`)],
            [word('field.weightKg'), words.weight],
            [word('field.colours'), words.colours],
            [word('field.pattern'), pattern],
            [word('field.coat'), coat && word(`coat.${coat}`)],
            [word('field.energy'), energy && word(`energy.${energy}`)],
            [word('field.location'), words.place],
            [t('since'), words.since],
            [word('field.feeAmount'), words.fee],
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
