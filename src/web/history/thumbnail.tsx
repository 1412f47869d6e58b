import { ImageOff } from 'lucide-react';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import styles from './thumbnail.module.css';

interface ThumbnailProps {
  url: string;
  /** What became of the picture. */
  label: string;
  /** The same as a sign. */
  mark: '+' | '−';
}

/** A picture of long ago: shown where this service still has it; one of another host is a link, for a page of ours shows nothing that it does not have. */
export function Thumbnail({ url, label, mark }: ThumbnailProps) {
  const t = useTranslations('history.difference');
  const [isGone, setGone] = useState(false);
  const address = URL.canParse(url) ? new URL(url) : undefined;
  const isOwn = address?.host === location.host && /^\/v2\/photo\/[0-9a-f]{64}$/.test(address.pathname);
  if (address === undefined || !isOwn) return <OtherPicture address={address} url={url} label={`${label} ${mark}`} />;
  return (
    <span className={styles['thumbnail']} data-mark={mark}>
      {isGone ? (
        <span
          className={styles['gone']}
          role="img"
          aria-label={`${label} ${t('pictureGone')}`}
          title={t('pictureGone')}
        >
          <ImageOff aria-hidden="true" />
        </span>
      ) : (
        <img
          src={`${address.pathname}/small`}
          alt={label}
          width={96}
          height={72}
          loading="lazy"
          onError={() => setGone(true)}
        />
      )}
      <span className={styles['mark']} aria-hidden="true">
        {mark}
      </span>
    </span>
  );
}

function OtherPicture({ address, url, label }: { address: URL | undefined; url: string; label: string }) {
  // Whoever writes pets could write `javascript:`.
  const isWeb = address?.protocol === 'https:' || address?.protocol === 'http:';
  return (
    <span className={styles['other']}>
      {label}{' '}
      {isWeb ? (
        <a href={url} rel="noreferrer noopener nofollow" target="_blank">
          {address?.host}
        </a>
      ) : (
        url
      )}
    </span>
  );
}
