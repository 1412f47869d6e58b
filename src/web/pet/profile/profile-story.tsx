import { useTranslations } from 'use-intl';
import type { AboutPet } from '../../../api/web/first-view.ts';
import type { Site } from '../../../api/web/site.ts';
import { findWebAddress } from '../../design/photo.tsx';
import { FactList, type Fact } from './fact-list.tsx';
import { useYesNo } from './profile-words.ts';
import styles from './profile.module.css';

interface ProfileStoryProps {
  /** The name of the pet. */
  name: string;
  about: AboutPet;
  site: Site;
}

/** The story, and in which home the pet would feel well. */
export function ProfileStory({ name, about, site }: ProfileStoryProps) {
  const t = useTranslations('petPage.about');
  const { descriptionHtml, videoUrls = [] } = about.profile;
  const goodWith = useGoodWith(about);
  const health = useHealth(about, site);
  if (descriptionHtml === undefined && videoUrls.length === 0 && goodWith.length + health.length === 0) return null;
  return (
    <div className={styles['story']}>
      {descriptionHtml !== undefined && (
        <section>
          <h2>{t('story', { name })}</h2>
          {/* Written by the service from Markdown, with few elements and no others. */}
          <div dangerouslySetInnerHTML={{ __html: descriptionHtml }} />
        </section>
      )}
      <FactSection title={t('goodWith')} facts={goodWith} />
      <FactSection title={t('health')} facts={health} />
      <Videos urls={videoUrls} />
    </div>
  );
}

function FactSection({ title, facts }: { title: string; facts: readonly Fact[] }) {
  if (facts.length === 0) return null;
  return (
    <section>
      <h2>{title}</h2>
      <FactList facts={facts} />
    </section>
  );
}

/** Adopters ask about children, dogs and cats, so these are shown even if they are not known yet. */
function useGoodWith(about: AboutPet): readonly Fact[] {
  const t = useTranslations('petPage.about');
  const word = useTranslations('profile.field');
  const yesNo = useYesNo();
  const { isPublished: _published, ...known } = about.profile;
  if (Object.keys(known).length === 0) return [];
  const { goodWithOthers } = about.profile;
  return [
    ...(['goodWithChildren', 'goodWithDogs', 'goodWithCats'] as const).map(
      (field) => [word(field), yesNo(about.profile[field]) ?? t('notKnown')] as const,
    ),
    ...(goodWithOthers === undefined ? [] : [[word('goodWithOthers'), yesNo(goodWithOthers)] as const]),
  ];
}

const HEALTH = [
  ...(['isAltered', 'vaccinationsAreCurrent', 'isDeclawed', 'hasSpecialNeeds', 'specialNeedsNote'] as const),
  ...(['hasSpecialDiet', 'isFivPositive', 'isHeartwormPositive'] as const),
  ...(['isHouseTrained', 'isCrateTrained', 'isLeashTrained', 'isIndoorOnly'] as const),
];

function useHealth(about: AboutPet, site: Site): readonly Fact[] {
  const unasked: readonly string[] = site.unasked ?? [];
  const word = useTranslations('profile.field');
  const yesNo = useYesNo();
  return HEALTH.flatMap((field) => {
    const value = about.profile[field];
    return value === undefined || unasked.includes(field)
      ? []
      : [[word(field), typeof value === 'string' ? value : yesNo(value)] as const];
  });
}

/** Links, because the page loads nothing from other sites. */
function Videos({ urls }: { urls: readonly string[] }) {
  const t = useTranslations('petPage.about');
  const addresses = urls.flatMap((url) => findWebAddress(url) ?? []);
  if (addresses.length === 0) return null;
  return (
    <section>
      <h2>{t('videos')}</h2>
      <ul>
        {addresses.map(({ href, host }) => (
          <li key={href}>
            <a href={href} rel="nofollow noopener">
              {t('video', { host })}
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}
