import { useRouterState } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { useTranslations } from 'use-intl';
import { LinkButton } from '../design/buttons.tsx';
import { usePageTitle } from '../design/page.tsx';
import { EmptyState } from '../design/empty-state.tsx';
import { useCurrentUser, usePermissions } from '../service/current-user.ts';

interface NoAccessProps {
  title: string;
  /** The title of the document, if it is different. */
  pageTitle?: string;
  loginLabel: string;
  /** The label of the link to the catalogue, for users who are logged in. */
  homeLabel?: string;
  children: ReactNode;
}

/** Shown instead of a page that the current user may not open. The login returns to the page. */
export function NoAccess({ title, pageTitle = title, loginLabel, homeLabel, children }: NoAccessProps) {
  const currentUser = useCurrentUser();
  const to = useRouterState({ select: ({ location }) => location.href });
  usePageTitle(pageTitle);
  const action =
    currentUser === null ? (
      <LinkButton to="/login" search={{ to }}>
        {loginLabel}
      </LinkButton>
    ) : (
      <LinkButton to="/">{homeLabel}</LinkButton>
    );
  return (
    <EmptyState level={1} title={title} actions={action}>
      {children}
    </EmptyState>
  );
}

interface GuardProps {
  /** The title of the document while access is denied. */
  title: string;
  children: ReactNode;
}

/**
 * Shows the form of a pet to users who may change pets. The form stays open when their session ends, so that no input
 * is lost; saving asks for a login.
 */
export function MayEdit({ title, children }: GuardProps) {
  const t = useTranslations('editing');
  const currentUser = useCurrentUser();
  const { writePets } = usePermissions();
  const [wasAllowed, setWasAllowed] = useState(writePets);
  if (writePets && !wasAllowed) setWasAllowed(true);
  if (wasAllowed || writePets) return children;
  const reason = currentUser === null ? 'login' : 'forbidden';
  return (
    <NoAccess
      title={t(`${reason}.title`)}
      pageTitle={title}
      loginLabel={t('login.action')}
      homeLabel={t('forbidden.action')}
    >
      {t(`${reason}.text`)}
    </NoAccess>
  );
}

/** Shows its children to users who may change pets. */
export function StaffOnly({ title, children }: GuardProps) {
  const t = useTranslations('history.notAllowed');
  const currentUser = useCurrentUser();
  const { writePets } = usePermissions();
  if (writePets) return children;
  return (
    <NoAccess title={t('title')} pageTitle={title} loginLabel={t('login')} homeLabel={t('toPets')}>
      {t(currentUser === null ? 'unknown' : 'forbidden')}
    </NoAccess>
  );
}
