import { Images } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { useTranslations } from 'use-intl';
import type { Pet } from '../../api/web/first-view.ts';
import { coverSources, pathOf } from '../../api/web/photo-sources.ts';
import { StatusBadge } from '../design/badge.tsx';
import { PageLink } from '../design/page-link.tsx';
import { Photo } from '../design/photo.tsx';
import type { Cover, Profile } from './arrivals.ts';
import styles from './pet-card.module.css';
import { PhotoPlaceholder } from './photo-placeholder.tsx';
import { useWords } from '../texts/words.ts';
import { useShortFacts } from './short-facts.ts';

/** The photos of this number of cards are loaded before all others. */
export const FIRST_PHOTOS = 4;

const TAGS_SHOWN = 4;

interface PetCardProps {
  pet: Pet;
  cover: Cover | undefined;
  profile: Profile | undefined;
  /** Visible at first: its photo is loaded before all others. */
  isFirst: boolean;
  /** Controls, over the photo. */
  corner?: ReactNode;
}

/**
 * A pet in a list. The whole card is a link. Each line takes its space even if it is empty, so that all cards have the
 * same height.
 */
export function PetCard({ pet, cover, profile, isFirst, corner }: PetCardProps) {
  const t = useTranslations('pet');
  const category = pet.category?.name;
  const { facts, marks } = useShortFacts(profile, category);
  const { label } = useWords();
  const tags = pet.tags.flatMap(({ name }) => (name === undefined ? [] : [label(name)])).slice(0, TAGS_SHOWN);
  return (
    <article className={styles['card']}>
      <div className={styles['frame']}>
        <CardPhoto cover={cover} category={category} isFirst={isFirst} />
        <SecondPhoto pet={pet} cover={cover} />
        <span className={styles['status']}>
          <StatusBadge
            status={pet.status}
            profile={profile}
            labels={pet.status === 'available' ? marks.map((mark) => t(`mark.${mark}`)) : []}
          />
        </span>
        {pet.photoUrls.length > 1 && (
          <span className={styles['photoCount']}>
            <Images size="1em" aria-hidden />
            <span aria-hidden="true">{pet.photoUrls.length}</span>
            <span className="visually-hidden">{t('photos', { count: pet.photoUrls.length })}</span>
          </span>
        )}
      </div>
      <div className={styles['words']}>
        <h2 className={styles['name']}>
          <PageLink to="/pets/$petId" params={{ petId: String(pet.id) }} className={styles['link']} title={pet.name}>
            {pet.name.trim() === '' ? t('unnamed') : pet.name}
          </PageLink>
        </h2>
        <p className={styles['category']}>{facts.join(' · ')}</p>
        <p className={styles['tags']}>{tags.join(' · ')}</p>
      </div>
      {corner !== undefined && <div className={styles['corner']}>{corner}</div>}
    </article>
  );
}

interface CardPhotoProps {
  cover: Cover | undefined;
  category: string | undefined;
  isFirst: boolean;
}

function CardPhoto({ cover, category, isFirst }: CardPhotoProps) {
  const [failedDigest, setFailedDigest] = useState<string>();
  if (cover === undefined || failedDigest === cover.digest) return <PhotoPlaceholder category={category} />;
  return (
    <Photo
      photo={cover}
      sources={coverSources(cover)}
      // The name is next to it, so a fallback would repeat it.
      alt={cover.alt ?? ''}
      isFirst={isFirst}
      className={styles['photo']}
      onError={() => setFailedDigest(cover.digest)}
    />
  );
}

/** Shown over the first photo, while a pointer is over the card. Only then, the browser loads it. */
function SecondPhoto({ pet: { photoUrls }, cover }: Pick<PetCardProps, 'pet' | 'cover'>) {
  const folder = cover?.url.slice(0, -cover.digest.length);
  const url = photoUrls.find((each) => folder !== undefined && each.startsWith(folder) && each !== cover?.url);
  if (url === undefined) return null;
  return <img className={styles['second']} src={`${pathOf(url)}/card`} alt="" loading="lazy" decoding="async" />;
}

/** The space of a pet that is loading. */
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
