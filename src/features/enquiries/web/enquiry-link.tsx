import { useTranslations } from 'use-intl';
import buttons from '../../../web/design/buttons.module.css';
import { PageLink } from '../../../web/design/page-link.tsx';
import type { PetPartProps } from '../../../web/features/web-feature.ts';

/** The link to the form of a pet. */
export function EnquiryLink({ pet, about, site }: PetPartProps) {
  const t = useTranslations('petPage');
  return (
    site.features?.includes('enquiries') &&
    about?.profile.isPublished !== false && (
      <PageLink
        to="/pets/$petId/enquire"
        params={{ petId: String(pet.id) }}
        className={buttons['button']}
        data-variant="filled"
      >
        {t('enquire')}
      </PageLink>
    )
  );
}
