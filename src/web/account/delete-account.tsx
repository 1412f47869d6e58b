import { useState, type SubmitEvent } from 'react';
import { useTranslations } from 'use-intl';
import { Button } from '../design/buttons.tsx';
import { isSameUsername } from '../../api/web/account-checks.ts';
import { leaveCovers } from '../design/covers.ts';
import { Dialog } from '../design/dialog.tsx';
import { TextField } from '../design/fields/field.tsx';
import { showNotice } from '../design/notices.ts';
import { useAction } from '../service/action.ts';
import { client } from '../service/client.ts';
import { FormError, isErrorAt } from './entry/form-error.tsx';
import { Section } from './section.tsx';

interface DeleteAccountProps {
  username: string;
  /** Describes what is lost. */
  lead: string;
  /** Opens another page. */
  onDeleted: () => Promise<void>;
}

/** Deletes an account permanently. The user confirms by typing the name. */
export function DeleteAccount({ username, lead, onDeleted }: DeleteAccountProps) {
  const t = useTranslations('account.delete');
  const [isConfirming, setConfirming] = useState(false);
  return (
    <Section
      isDangerous
      title={t('title')}
      lead={lead}
      actions={
        <Button variant="danger" onClick={() => setConfirming(true)}>
          {t('action')}
        </Button>
      }
    >
      {isConfirming && <DeleteDialog username={username} onDeleted={onDeleted} onClose={() => setConfirming(false)} />}
    </Section>
  );
}

interface DeleteDialogProps {
  username: string;
  onDeleted: () => Promise<void>;
  onClose: () => void;
}

function DeleteDialog({ username, onDeleted, onClose }: DeleteDialogProps) {
  const t = useTranslations('account');
  const [typed, setTyped] = useState('');
  const deletion = useAction({
    mutationFn: () => client.deleteUser({ username }),
    onSuccess: async () => {
      showNotice({ text: t('delete.done', { username }) });
      await leaveCovers();
      await onDeleted();
    },
  });
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (isSameUsername(typed, username)) deletion.mutate();
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t('delete.ask', { username })}
      size="small"
      isClosable={!deletion.isPending}
    >
      <form className="stack" onSubmit={submit}>
        <p className="soft">{t('delete.askText')}</p>
        <TextField
          label={t('delete.typeName', { username })}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          data-autofocus
          value={typed}
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
        />
        <FormError error={deletion.error} text={isErrorAt(deletion.error, 'conflict') ? t('lastAdmin') : undefined} />
        <Button type="submit" variant="danger" disabled={!isSameUsername(typed, username)} loading={deletion.isPending}>
          {t('delete.action')}
        </Button>
      </form>
    </Dialog>
  );
}
