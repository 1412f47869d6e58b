import { useId, type ReactNode } from 'react';
import { useTranslations } from 'use-intl';
import { Button, LinkButton } from '../design/buttons.tsx';
import { SaveButtons, SaveStatus } from './save-bar.tsx';
import styles from './save-bar.module.css';

interface ActionsProps {
  isSaving: boolean;
  /** Beside the buttons. */
  draftStatus: ReactNode;
}

/** Saves a pet that exists, whatever its visibility. */
export function EditActions({ petId, isSaving, draftStatus }: ActionsProps & { petId: string }) {
  const t = useTranslations('editing');
  const hint = useId();
  return (
    <>
      <LinkButton to="/pets/$petId" params={{ petId }} variant="default">
        {t('cancel')}
      </LinkButton>
      <SaveStatus>
        {draftStatus}
        <Shortcut id={hint} name="shortcut" />
      </SaveStatus>
      <SaveButtons>
        <Button type="submit" loading={isSaving} aria-describedby={hint}>
          {t('save')}
        </Button>
      </SaveButtons>
    </>
  );
}

interface NewActionsProps extends ActionsProps {
  hasNext: boolean;
  onNextChange: (hasNext: boolean) => void;
  onSave: (isDraft: boolean) => void;
}

/** The decisions about a new pet. None of them submits the form, so that Enter in a field makes none. */
export function NewActions({ isSaving, draftStatus, hasNext, onNextChange, onSave }: NewActionsProps) {
  const t = useTranslations('editing');
  const hint = useId();
  return (
    <>
      <LinkButton to="/" variant="default">
        {t('cancel')}
      </LinkButton>
      <SaveStatus>
        <label>
          <input
            type="checkbox"
            checked={hasNext}
            onChange={({ currentTarget }) => onNextChange(currentTarget.checked)}
          />{' '}
          {t('another')}
        </label>
        {draftStatus}
        <Shortcut id={hint} name="shortcutNew" />
      </SaveStatus>
      <SaveButtons>
        <Button variant="default" disabled={isSaving} aria-describedby={hint} onClick={() => onSave(true)}>
          {t('saveDraft')}
        </Button>
        <Button disabled={isSaving} onClick={() => onSave(false)}>
          {t('publish')}
        </Button>
      </SaveButtons>
    </>
  );
}

function Shortcut({ id, name }: { id: string; name: 'shortcut' | 'shortcutNew' }) {
  const t = useTranslations('editing');
  const isMac = /Mac|iPhone|iPad/.test(navigator.platform);
  return (
    <span id={id} className={styles['shortcut']}>
      {t(name, { key: isMac ? '⌘' : t('control') })}
    </span>
  );
}
