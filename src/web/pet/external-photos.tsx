import { ExternalLink } from 'lucide-react';
import { useTranslations } from 'use-intl';
import { findWebAddress } from '../design/photo.tsx';

/** Links to photos on other hosts, in the application and in the first view. */
export function ExternalPhotos({ urls }: { urls: readonly string[] }) {
  const t = useTranslations('petPage.elsewhere');
  return (
    <section aria-labelledby="external-photos">
      <h2 id="external-photos">{t('title', { count: urls.length })}</h2>
      <ul>
        {urls.map((url) => (
          <li key={url}>
            <ExternalPhoto url={url} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function ExternalPhoto({ url }: { url: string }) {
  const t = useTranslations('petPage.elsewhere');
  const address = findWebAddress(url);
  if (address === undefined) return <span>{url}</span>;
  return (
    <a href={address.href} target="_blank" rel="noreferrer noopener nofollow">
      {t('link', { host: address.host, path: decodedName(address) })}
      <ExternalLink size="0.9em" aria-hidden />
      <span className="visually-hidden">{t('newWindow')}</span>
    </a>
  );
}

/** The last segment of the path, usually the file name. */
function decodedName({ pathname }: URL): string {
  const name = pathname.split('/').findLast((part) => part !== '') ?? '';
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
