import { MapPin } from 'lucide-react';
import { useState } from 'react';
import { useFormatter, useTranslations } from 'use-intl';
import type { OrganisationView } from '../../api/web/first-view.ts';
import { Button } from '../design/buttons.tsx';
import { PageLink } from '../design/page-link.tsx';
import styles from './about.module.css';
import { isPlaced, kilometresBetween, MAX_NEAREST, type Point } from './distances.ts';

type Location = NonNullable<OrganisationView['locations']>[number];

interface LocationsProps {
  locations: readonly Location[];
  country: string | undefined;
}

/** The position of a visitor is asked for on a tap only. It stays on the device: distances are computed here. */
export function Locations({ locations, country }: LocationsProps) {
  const t = useTranslations('about');
  const [here, setHere] = useState<Point>();
  const [problem, setProblem] = useState(false);
  const placed = locations.filter(isPlaced);
  const nearest = here && placed.toSorted((a, b) => kilometresBetween(here, a) - kilometresBetween(here, b));
  const others = locations.filter((location) => !isPlaced(location));
  const find = () =>
    navigator.geolocation.getCurrentPosition(
      ({ coords: { latitude, longitude } }) => {
        setProblem(false);
        setHere({ latitude, longitude });
      },
      () => setProblem(true),
      { maximumAge: 600_000, timeout: 20_000 },
    );
  return (
    <div className="stack">
      {placed.length > 1 && (
        <div className="row">
          <Button variant="default" leftSection={<MapPin size="1.1em" aria-hidden />} onClick={find}>
            {t('sortByDistance')}
          </Button>
          {nearest && (
            <PageLink to="/" search={{ location: nearest.slice(0, MAX_NEAREST).map(({ id }) => id), sort: 'location' }}>
              {t('nearestPets')}
            </PageLink>
          )}
        </div>
      )}
      <p role="status" hidden={!problem && !here}>
        {problem ? t('noPosition') : t('sorted')}
      </p>
      <ul className="stack">
        {[...(nearest ?? placed), ...others].map((location) => (
          <li key={location.id} className={styles['text']}>
            <strong>{location.name}</strong>
            {here && isPlaced(location) && (
              <Distance kilometres={kilometresBetween(here, location)} country={country} />
            )}
            {[location.address, location.place].map((line) => line !== undefined && `\n${line}`)}
            {'\n'}
            <PageLink to="/" search={{ location: [location.id] }}>
              {t('petsHere')}
            </PageLink>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** As signposts of the country do: the United Kingdom and the United States have miles. */
function Distance({ kilometres, country = '' }: { kilometres: number; country: string | undefined }) {
  const format = useFormatter();
  const hasMiles = ['GB', 'US'].includes(country);
  const value = Math.max(1, Math.round(hasMiles ? kilometres / 1.609_344 : kilometres));
  return ` · ${format.number(value, { style: 'unit', unit: hasMiles ? 'mile' : 'kilometer' })}`;
}
