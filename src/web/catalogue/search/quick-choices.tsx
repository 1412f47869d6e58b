import type { ReactNode } from 'react';
import { useTranslations } from 'use-intl';
import { quickKinds, toggle } from '../../../api/web/catalogue-search.ts';
import { StatusMark } from '../../design/status-badge.tsx';
import { isEmpty, usePetChoices } from './pet-choices.ts';
import styles from './quick-choices.module.css';
import type { SearchAddress } from './search-address.ts';
import type { Part } from './search-parts.ts';

/** What is seen to be chosen there, and taken off there. */
export function isQuick({ kind, value }: Part): boolean {
  return kind === 'category' || (kind === 'status' && value === 'available');
}

/** Where filters have no place beside the pets: what most people choose, one tap away. */
export function QuickChoices({ address: { search, change } }: { address: SearchAddress }) {
  const t = useTranslations();
  const { choices, areCounted } = usePetChoices(search);
  const kinds = new Map(choices?.categories.map((kind) => [kind.name, kind]));
  const available = choices?.statuses.find(({ status }) => status === 'available');
  return (
    <ul className={styles['quick']} aria-label={t('catalogue.filters.quick')}>
      <QuickChoice
        isChosen={search.status?.includes('available') === true}
        isEmpty={areCounted && isEmpty(available)}
        onToggle={() => change({ status: toggle(search.status, 'available') })}
      >
        <span className={styles['mark']} data-status="available">
          <StatusMark status="available" />
        </span>
        <span className={styles['name']}>{t('pet.status.available')}</span>
      </QuickChoice>
      {quickKinds([...kinds.keys()], search).map((name) => (
        <QuickChoice
          key={name}
          isChosen={search.category?.includes(name) === true}
          isEmpty={areCounted && isEmpty(kinds.get(name))}
          onToggle={() => change({ category: toggle(search.category, name) })}
        >
          <span className={styles['name']}>{name}</span>
        </QuickChoice>
      ))}
    </ul>
  );
}

interface QuickChoiceProps {
  isChosen: boolean;
  /** Nothing would be left. */
  isEmpty: boolean;
  onToggle: () => void;
  children: ReactNode;
}

function QuickChoice({ isChosen, isEmpty: hasNone, onToggle, children }: QuickChoiceProps) {
  return (
    <li>
      <button
        type="button"
        className={styles['choice']}
        aria-pressed={isChosen}
        data-chosen={isChosen || undefined}
        data-empty={hasNone || undefined}
        data-quick
        onClick={onToggle}
      >
        {children}
      </button>
    </li>
  );
}
