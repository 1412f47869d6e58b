import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState, type SubmitEvent } from 'react';
import { useTranslations } from 'use-intl';
import { isSameUsername } from '../../api/web/account-checks.ts';
import { Dialog } from '../design/dialog.tsx';
import { TextField } from '../design/fields/field.tsx';
import { showNotice } from '../design/notices.ts';
import { client } from '../service/client.ts';
import { FormTrouble, problemAt } from './form-trouble.tsx';
import { Section } from './section.tsx';
import styles from './account.module.css';

interface RemoveAccountProps {
  username: string;
  /** What is lost by it. */
  lead: string;
  onRemoved: () => void;
}

/** For good: whoever does it types the name, so that it is no slip of the finger. */
export function RemoveAccount({ username, lead, onRemoved }: RemoveAccountProps) {
  const t = useTranslations('account.remove');
  const [isAsking, setAsking] = useState(false);
  return (
    <Section
      isDangerous
      title={t('title')}
      lead={lead}
      actions={
        <Button className={styles['danger'] ?? ''} onClick={() => setAsking(true)}>
          {t('action')}
        </Button>
      }
    >
      {isAsking && <RemoveDialog username={username} onRemoved={onRemoved} onClose={() => setAsking(false)} />}
    </Section>
  );
}

interface RemoveDialogProps {
  username: string;
  onRemoved: () => void;
  onClose: () => void;
}

function RemoveDialog({ username, onRemoved, onClose }: RemoveDialogProps) {
  const t = useTranslations('account');
  const [typed, setTyped] = useState('');
  const remove = useMutation({
    mutationFn: () => client.deleteUser({ username }),
    onSuccess: () => {
      showNotice({ text: t('remove.done', { username }) });
      onRemoved();
    },
  });
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (isSameUsername(typed, username) && !remove.isPending) remove.mutate();
  };
  return (
    <Dialog isOpen onClose={onClose} title={t('remove.ask', { username })} size="small" isClosable={!remove.isPending}>
      <form className={styles['form']} onSubmit={submit}>
        <p className={styles['dialogLead']}>{t('remove.askText')}</p>
        <TextField
          label={t('remove.typeName', { username })}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          data-autofocus
          value={typed}
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
        />
        <FormTrouble error={remove.error} text={problemAt(remove.error, 'conflict') ? t('lastAdmin') : undefined} />
        <Button
          type="submit"
          className={styles['danger'] ?? ''}
          disabled={!isSameUsername(typed, username)}
          loading={remove.isPending}
        >
          {t('remove.action')}
        </Button>
      </form>
    </Dialog>
  );
}
