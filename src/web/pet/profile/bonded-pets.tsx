import { useTranslations } from 'use-intl';
import type { AboutPet } from '../../../api/web/first-view.ts';
import { PageLink } from '../../design/page-link.tsx';

/** The pets that must be adopted together with this one. */
export function BondedPets({ bonded }: Pick<AboutPet, 'bonded'>) {
  const t = useTranslations('petPage.about');
  if (bonded.length === 0) return null;
  return (
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
  );
}
