import { useTranslations } from 'use-intl';
import buttons from '../../../web/design/buttons.module.css';
import { PageLink } from '../../../web/design/page-link.tsx';
import type { PetPartProps } from '../../../web/features/web-feature.ts';

/** The part of the form for a visit. */
export const VISIT_ANCHOR = 'visit';

/** The links to the form of a pet: to ask, or to suggest days for a visit. */
export function EnquiryLink({ pet, about, site }: PetPartProps) {
  const t = useTranslations('petPage');
  if (!site.features?.includes('enquiries') || about?.profile.isPublished === false) return null;
  const form = {
    to: '/pets/$petId/enquire',
    params: { petId: String(pet.id) },
    className: buttons['button'],
  } as const;
  return (
    <>
      <PageLink {...form} data-variant="filled">
        {t('enquire')}
      </PageLink>
      <PageLink {...form} hash={VISIT_ANCHOR} data-variant="default">
        {t('visit')}
      </PageLink>
    </>
  );
}
