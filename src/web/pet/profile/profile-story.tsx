import { useTranslations } from 'use-intl';
import type { AboutPet } from '../../../api/web/first-view.ts';
import type { Site } from '../../../api/web/site.ts';
import { storyIn } from '../../../api/words/pet-texts.ts';
import { findWebAddress } from '../../design/photo.tsx';
import { NextSteps } from './next-steps.tsx';
import { ProfileFacts } from './profile-facts.tsx';
import { usePageOf } from './profile-words.ts';
import styles from './profile.module.css';

interface ProfileStoryProps {
  /** The name of the pet. */
  name: string;
  /** Whether it still looks for a home. */
  isAdoptable: boolean;
  about: AboutPet;
  site: Site;
}

/** The story, the facts, and how the pet is adopted. */
export function ProfileStory({ name, isAdoptable, about, site }: ProfileStoryProps) {
  const t = useTranslations('petPage.about');
  const { videoUrls = [] } = about.profile;
  const story = storyIn(about.profile, usePageOf(site));
  return (
    <div className={styles['story']}>
      {story !== undefined && (
        <section>
          <h2>{t('story', { name })}</h2>
          {/* Written by the service from Markdown, with few elements and no others. */}
          <div lang={story.lang} dangerouslySetInnerHTML={{ __html: story.text }} />
        </section>
      )}
      <Videos urls={videoUrls} />
      <ProfileFacts about={about} site={site} />
      {isAdoptable && <NextSteps about={about} site={site} />}
    </div>
  );
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
