import { Link, useRouterState } from '@tanstack/react-router';
import {
  ChartColumn,
  CirclePlus,
  CircleUserRound,
  Heart,
  Info,
  ListChecks,
  LogIn,
  PawPrint,
  Settings,
} from 'lucide-react';
import { Suspense } from 'react';
import { useTranslations } from 'use-intl';
import { useStaffLinks } from '../features/staff-links.ts';
import { bootstrap } from '../service/bootstrap.ts';
import { usePermissions, useCurrentUser } from '../service/current-user.ts';
import { useFavourites } from '../service/favourites.ts';
import styles from '../design/header.module.css';

const ICON = { size: '1.25em', strokeWidth: 2, 'aria-hidden': true } as const;

/** For families, who come for the first time. */
function SiteLinks() {
  const t = useTranslations('app');
  const { isDescribed, hasAdoptionSteps } = bootstrap.site;
  const link = {
    to: '/about',
    className: styles['link'],
    activeProps: { className: styles['active'] },
    activeOptions: { includeHash: true },
  } as const;
  return (
    <>
      {hasAdoptionSteps && (
        <Link {...link} hash="adoption">
          <ListChecks {...ICON} />
          <span>{t('howToAdopt')}</span>
        </Link>
      )}
      {isDescribed && (
        <Link {...link}>
          <Info {...ICON} />
          <span>{t('about')}</span>
        </Link>
      )}
    </>
  );
}

/** The main links: in the header, on a phone at the bottom of the screen. */
export function Navigation() {
  const t = useTranslations('app');
  const all = useTranslations();
  const currentUser = useCurrentUser();
  const { writePets, administer } = usePermissions();
  const staffLinks = useStaffLinks(true);
  const { length: favourites } = useFavourites();
  const isAdministration = useRouterState({ select: ({ location }) => location.pathname.startsWith('/admin/') });
  const link = { className: styles['link'], activeProps: { className: styles['active'] } };
  return (
    <nav className={styles['links']} aria-label={t('mainNavigation')}>
      <Link to="/" {...link} activeOptions={{ exact: true, includeSearch: false }}>
        <PawPrint {...ICON} />
        <span>{t('pets')}</span>
      </Link>
      {writePets ? (
        <Link to="/dashboard" {...link}>
          <ChartColumn {...ICON} />
          <span>{t('dashboard')}</span>
        </Link>
      ) : (
        <SiteLinks />
      )}
      {favourites > 0 && (
        <Link to="/favourites" {...link} activeOptions={{ includeSearch: false }}>
          <Heart {...ICON} />
          <span>{t('favourites', { count: favourites })}</span>
        </Link>
      )}
      {writePets && (
        <Link to="/pets/new" {...link}>
          <CirclePlus {...ICON} />
          <span>{t('addPet')}</span>
        </Link>
      )}
      {staffLinks.map(({ to, Icon, labelIn, Count }) => (
        <Link key={to} to={to} {...link} activeOptions={{ includeSearch: false }}>
          <Icon {...ICON} />
          <span>
            {labelIn(all)}
            <Suspense>{Count && <Count />}</Suspense>
          </span>
        </Link>
      ))}
      {administer && (
        <Link
          to="/admin/users"
          className={isAdministration ? `${styles['link']} ${styles['active']}` : styles['link']}
          aria-current={isAdministration ? 'true' : undefined}
        >
          <Settings {...ICON} />
          <span>{t('administration')}</span>
        </Link>
      )}
      {currentUser === null ? (
        <Link to="/login" {...link}>
          <LogIn {...ICON} />
          <span>{t('login')}</span>
        </Link>
      ) : (
        <Link to="/account" {...link} title={currentUser.username}>
          <CircleUserRound {...ICON} />
          <span>{t('account')}</span>
        </Link>
      )}
    </nav>
  );
}
