import { useQuery, useQueryClient } from '@tanstack/react-query';
import { AppWindow } from 'lucide-react';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { Button } from '../design/buttons.tsx';
import { useDateTimeFormats } from '../design/date-time.tsx';
import { ConfirmDialog } from '../design/dialog.tsx';
import { showNotice } from '../design/notices.ts';
import { useAction } from '../service/action.ts';
import { client } from '../service/client.ts';
import { useFailureText } from '../service/failure-text.ts';
import { ACCOUNT_KEY, programsQuery, tokensQuery, type ProgramView, type TokenView } from './account-queries.ts';
import { FormError } from './entry/form-error.tsx';
import { NewProgramDialog } from './new-program-dialog.tsx';
import { ProgramItem, ScopedItem } from './program-item.tsx';
import { Section } from './section.tsx';
import styles from './section.module.css';

/** What the user wants to end: the access of a program, or a program that the user has registered. */
type Selected = { token: TokenView } | { program: ProgramView };

/** The programs that have access to the account, and those that the user has registered. */
export function ProgramsSection() {
  const t = useTranslations('account.programs');
  const { data: programs, error } = useQuery(programsQuery);
  const { data: tokens } = useQuery(tokensQuery);
  const [isCreating, setCreating] = useState(false);
  const [selected, setSelected] = useState<Selected>();
  return (
    <Section
      title={t('title')}
      lead={t('lead')}
      actions={
        <Button
          variant="default"
          leftSection={<AppWindow size="1.1em" aria-hidden />}
          onClick={() => setCreating(true)}
        >
          {t('new')}
        </Button>
      }
    >
      <FormError error={error} />
      {programs?.length === 0 && tokens?.length === 0 && <p className={styles['lead']}>{t('none')}</p>}
      <ul className={styles['list']}>
        {tokens?.map((token) => (
          <TokenItem key={token.id} token={token} onRevoke={() => setSelected({ token })} />
        ))}
        {programs?.map((program) => (
          <ProgramItem key={program.id} program={program} onDelete={() => setSelected({ program })} />
        ))}
      </ul>
      {selected !== undefined && <EndDialog selected={selected} onClose={() => setSelected(undefined)} />}
      {isCreating && <NewProgramDialog onClose={() => setCreating(false)} />}
    </Section>
  );
}

function EndDialog({ selected, onClose }: { selected: Selected; onClose: () => void }) {
  const t = useTranslations('account.programs');
  const queries = useQueryClient();
  const failureText = useFailureText();
  const isToken = 'token' in selected;
  const ending = useAction({
    mutationFn: () =>
      isToken
        ? client.revokeKey({ keyId: selected.token.id })
        : client.deleteOAuthClient({ clientId: selected.program.id }),
    onSuccess: () => showNotice({ text: t(isToken ? 'revoked' : 'deleted') }),
    onError: (error) => showNotice({ text: failureText(error), isError: true }),
    onSettled: () => {
      onClose();
      return queries.invalidateQueries({ queryKey: ACCOUNT_KEY });
    },
  });
  const name = isToken ? selected.token.clientName : selected.program.name;
  return (
    <ConfirmDialog
      isOpen
      title={t(isToken ? 'askRevoke' : 'askDelete', { name })}
      confirmLabel={t(isToken ? 'revoke' : 'delete')}
      isDangerous
      isBusy={ending.isPending}
      onConfirm={() => ending.mutate()}
      onCancel={onClose}
    >
      {t(isToken ? 'askRevokeText' : 'askDeleteText')}
    </ConfirmDialog>
  );
}

function TokenItem({ token, onRevoke }: { token: TokenView; onRevoke: () => void }) {
  const t = useTranslations('account.programs');
  const { dateTime } = useDateTimeFormats();
  const { clientName: name, scopes, createdAt, expiresAt } = token;
  return (
    <ScopedItem
      name={name}
      scopes={scopes}
      text={t('hasAccess', { when: dateTime(createdAt), until: dateTime(expiresAt) })}
      action={
        <Button variant="default" aria-label={t('revokeOne', { name })} onClick={onRevoke}>
          {t('revoke')}
        </Button>
      }
    />
  );
}
