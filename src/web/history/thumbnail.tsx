import { ImageOff } from 'lucide-react';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { BASE } from '../service/client.ts';
import styles from './thumbnail.module.css';

interface ThumbnailProps {
  url: string;
  /** Whether the photo was added or removed. */
  label: string;
  /** The label as a sign. */
  mark: '+' | '−';
}

/**
 * A photo of an old version, if the service still has it. A photo on another host is a link: the Content Security
 * Policy forbids external images.
 */
export function Thumbnail({ url, label, mark }: ThumbnailProps) {
  const t = useTranslations('history.difference');
  const [isGone, setGone] = useState(false);
  const address = URL.canParse(url) ? new URL(url) : undefined;
  const isOwn = address?.host === location.host && isOwnPath(address.pathname);
  if (address === undefined || !isOwn) return <ExternalPhoto address={address} url={url} label={`${label} ${mark}`} />;
  return (
    <span className={styles['thumbnail']} data-mark={mark}>
      {isGone ? (
        <span className={styles['gone']} role="img" aria-label={`${label} ${t('photoGone')}`} title={t('photoGone')}>
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

function isOwnPath(path: string): boolean {
  const place = `${BASE}/photo/`;
  return path.startsWith(place) && /^[0-9a-f]{64}$/.test(path.slice(place.length));
}

function ExternalPhoto({ address, url, label }: { address: URL | undefined; url: string; label: string }) {
  // A client could have stored a `javascript:` URL.
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
