import { Link } from '@tanstack/react-router';
import { ChartColumn, CirclePlus, CircleUserRound, Heart, LogIn, Mail, PawPrint, Users } from 'lucide-react';
import { useTranslations } from 'use-intl';
import { bootstrap } from '../service/bootstrap.ts';
import { usePermissions, useCurrentUser } from '../service/current-user.ts';
import { useFavourites } from '../service/favourites.ts';
import styles from './navigation.module.css';

const ICON = { size: '1.25em', strokeWidth: 2, 'aria-hidden': true } as const;

/** The main links: in the header, on a phone at the bottom of the screen. */
export function Navigation() {
  const t = useTranslations('app');
  const currentUser = useCurrentUser();
  const { writePets, administer, handleEnquiries } = usePermissions();
  const { length: favourites } = useFavourites();
  const link = { className: styles['link'], activeProps: { className: styles['active'] } };
  return (
    <nav className={styles['links']} aria-label={t('mainNavigation')}>
      <Link to="/" {...link} activeOptions={{ exact: true, includeSearch: false }}>
        <PawPrint {...ICON} />
        <span>{t('pets')}</span>
      </Link>
      <Link to="/dashboard" {...link}>
        <ChartColumn {...ICON} />
        <span>{t('dashboard')}</span>
      </Link>
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
      {handleEnquiries && bootstrap.site.takesEnquiries && (
        <Link to="/enquiries" {...link} activeOptions={{ includeSearch: false }}>
          <Mail {...ICON} />
          <span>{t('enquiries')}</span>
        </Link>
      )}
      {administer && (
        <Link to="/admin/users" {...link}>
          <Users {...ICON} />
          <span>{t('users')}</span>
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
