import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';
import { FormError } from '../../../web/account/entry/form-error.tsx';
import { Section } from '../../../web/account/section.tsx';
import { Badge } from '../../../web/design/badge.tsx';
import { Button, MoreButton } from '../../../web/design/buttons.tsx';
import { showNotice } from '../../../web/design/notices.ts';
import { useAction } from '../../../web/service/action.ts';
import { client } from '../../../web/service/client.ts';
import { useFailureText } from '../../../web/service/failure-text.ts';
import adminStyles from '../../../web/administration/administration.module.css';
import { judgedPetsQuery } from './judged-pets.ts';
import { listingPetsQuery, type ListingPetView, type ListingView } from './listing-queries.ts';
import sectionStyles from '../../../web/account/section.module.css';
import styles from './listings.module.css';

type Site = ListingView['site'];

/** The pets, with what the site refuses, before it is sent. */
export function ListingPets({ site }: { site: Site }) {
  const t = useTranslations('administration.listings');
  const moreLabel = useTranslations('administration')('more');
  const found = useInfiniteQuery(listingPetsQuery(site));
  const pets = found.data?.pages.flatMap(({ items }) => items);
  return (
    <Section title={t('pets')} lead={t('petsLead')}>
      <FormError error={found.error} />
      {pets?.length === 0 && <p className={sectionStyles['lead']}>{t('noPets')}</p>}
      {pets !== undefined && pets.length > 0 && (
        <ul className={sectionStyles['list']} aria-label={t('pets')}>
          {pets.map((pet) => (
            <Item key={String(pet.id)} site={site} pet={pet} />
          ))}
        </ul>
      )}
      <MoreButton list={found} label={moreLabel} />
    </Section>
  );
}

function Item({ site, pet }: { site: Site; pet: ListingPetView }) {
  const t = useTranslations('administration.listings');
  const { id, name, listed, refused, problems } = pet;
  const tone = !listed ? 'neutral' : refused ? 'danger' : 'available';
  return (
    <li className={sectionStyles['item']}>
      <div>
        <p className={sectionStyles['itemTitle']}>
          <Link to="/pets/$petId" params={{ petId: String(id) }} className={adminStyles['link']}>
            {name}
          </Link>
          <Badge tone={tone}>{t(!listed ? 'keptOut' : refused ? 'refused' : 'isListed')}</Badge>
        </p>
        {problems.length > 0 && (
          <ul className={`soft ${styles['lines']}`}>
            {problems.map(({ code, value, refused: isRefusal }) => (
              <li key={`${code} ${value}`} data-refused={isRefusal || undefined}>
                {t(`problems.${code}`, { value: value ?? '' })}
              </li>
            ))}
          </ul>
        )}
      </div>
      <ListedButton site={site} pet={pet} />
    </li>
  );
}

function ListedButton({ site, pet: { id, name, listed } }: { site: Site; pet: ListingPetView }) {
  const t = useTranslations('administration.listings');
  const queries = useQueryClient();
  const failureText = useFailureText();
  const change = useAction({
    mutationFn: () => client.updateListingPet({ site, petId: id, body: { listed: !listed } }),
    onError: (error) => showNotice({ text: failureText(error), isError: true }),
    onSettled: async () => {
      await queries.invalidateQueries({ queryKey: listingPetsQuery(site).queryKey });
      await queries.invalidateQueries({ queryKey: judgedPetsQuery(site).queryKey });
    },
  });
  const label = t(listed ? 'keepOut' : 'letIn');
  return (
    <Button
      variant="default"
      loading={change.isPending}
      aria-label={`${label}: ${name}`}
      onClick={() => change.mutate()}
    >
      {label}
    </Button>
  );
}
