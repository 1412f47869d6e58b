import type { ReactNode } from 'react';
import { useTranslations } from 'use-intl';
import type { OAuthScope } from '../../api/web/oauth-parameters.ts';
import { Badge } from '../design/badge.tsx';
import { Button } from '../design/buttons.tsx';
import { useDateTimeFormats } from '../design/date-time.tsx';
import type { ProgramView } from './account-queries.ts';
import styles from './section.module.css';

interface ProgramItemProps {
  program: ProgramView;
  onDelete: () => void;
  /** Shown to administrators. */
  owner?: ReactNode;
}

export function ProgramItem({ program, onDelete, owner }: ProgramItemProps) {
  const t = useTranslations('account.programs');
  const { dateTime, relativeTime } = useDateTimeFormats();
  const { id, name, scopes, isPublic, redirectUris, createdAt, lastUsedAt } = program;
  const use = lastUsedAt === undefined ? t('unused') : t('used', { when: relativeTime(lastUsedAt) });
  return (
    <ScopedItem
      name={name}
      scopes={scopes}
      text={[t('registered', { id }), t(isPublic ? 'public' : 'confidential'), ...redirectUris].join(', ')}
      action={
        <Button variant="default" aria-label={t('deleteOne', { name })} onClick={onDelete}>
          {t('delete')}
        </Button>
      }
    >
      <p className={styles['itemText']}>
        {owner}
        {[t('created', { when: dateTime(createdAt) }), use].join(', ')}
      </p>
    </ScopedItem>
  );
}

interface ScopedItemProps {
  name: string;
  scopes: readonly OAuthScope[];
  text: string;
  action: ReactNode;
  children?: ReactNode;
}

export function ScopedItem({ name, scopes, text, action, children }: ScopedItemProps) {
  const scopeName = useTranslations('account.keys.scope');
  return (
    <li className={styles['item']}>
      <div>
        <p className={styles['itemTitle']}>
          {name}
          {scopes.map((scope) => (
            <Badge key={scope} tone="available">
              {scopeName(scope)}
            </Badge>
          ))}
        </p>
        <p className={styles['itemText']}>{text}</p>
        {children}
      </div>
      {action}
    </li>
  );
}
