import { Images } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { useTranslations } from 'use-intl';
import type { Pet } from '../../api/web/first-view.ts';
import { coverSources } from '../../api/web/picture-sources.ts';
import { PageLink } from '../design/page-link.tsx';
import { Picture } from '../design/picture.tsx';
import { StatusBadge } from '../design/status-badge.tsx';
import type { Cover } from './arrivals.ts';
import styles from './pet-card.module.css';
import { StandIn } from './stand-in.tsx';

/** The photos of this many cards are loaded before all others. */
export const FIRST_PHOTOS = 4;

const TAGS_SHOWN = 4;

interface PetCardProps {
  pet: Pet;
  cover: Cover | undefined;
  /** Seen as soon as the page is: its picture comes before all others. */
  isFirst: boolean;
  /** In the corner: the controls of staff. */
  corner?: ReactNode;
}

/** A pet among others. The whole of it leads to the pet; every line has its place even where it is empty, so that all cards are of one height. */
export function PetCard({ pet, cover, isFirst, corner }: PetCardProps) {
  const t = useTranslations('pet');
  const category = pet.category?.name;
  const tags = pet.tags.flatMap(({ name }) => name ?? []).slice(0, TAGS_SHOWN);
  return (
    <article className={styles['card']}>
      <div className={styles['frame']}>
        <CardPicture cover={cover} category={category} isFirst={isFirst} />
        <span className={styles['status']}>
          <StatusBadge status={pet.status} />
        </span>
        {pet.photoUrls.length > 1 && (
          <span className={styles['pictures']}>
            <Images size="1em" aria-hidden />
            <span aria-hidden="true">{pet.photoUrls.length}</span>
            <span className="visually-hidden">{t('pictures', { count: pet.photoUrls.length })}</span>
          </span>
        )}
      </div>
      <div className={styles['words']}>
        <h2 className={styles['name']}>
          <PageLink to="/pets/$petId" params={{ petId: String(pet.id) }} className={styles['link']} title={pet.name}>
            {pet.name.trim() === '' ? t('unnamed') : pet.name}
          </PageLink>
        </h2>
        <p className={styles['category']}>{category}</p>
        <p className={styles['tags']}>{tags.join(' · ')}</p>
      </div>
      {corner !== undefined && <div className={styles['corner']}>{corner}</div>}
    </article>
  );
}

interface CardPictureProps {
  cover: Cover | undefined;
  category: string | undefined;
  isFirst: boolean;
}

function CardPicture({ cover, category, isFirst }: CardPictureProps) {
  const [lost, setLost] = useState<string>();
  if (cover === undefined || lost === cover.digest) return <StandIn category={category} />;
  return (
    <Picture
      photo={cover}
      sources={coverSources(cover)}
      // The name stands beside it: what nobody has described adds nothing to that.
      alt={cover.alt ?? ''}
      isFirst={isFirst}
      className={styles['picture']}
      onError={() => setLost(cover.digest)}
    />
  );
}

/** The place of a pet that is still to come. */
export function PetCardSkeleton() {
  return (
    <div className={`${styles['card']} ${styles['skeleton']}`} aria-hidden="true">
      <div className={styles['frame']} />
      <div className={styles['words']}>
        <p className={styles['name']} />
        <p className={styles['category']} />
        <p className={styles['tags']} />
      </div>
    </div>
  );
}
