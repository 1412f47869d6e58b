import { useQueryClient } from '@tanstack/react-query';
import { useState, type SubmitEvent } from 'react';
import { useTranslations } from 'use-intl';
import { Button } from '../design/buttons.tsx';
import { KEY_LIMITS, KEY_SCOPES, type KeyScope } from '../../api/web/account-checks.ts';
import { Dialog } from '../design/dialog.tsx';
import { TextField, SelectField } from '../design/fields/field.tsx';
import { SecretDialog } from '../design/secret-dialog.tsx';
import { useAction } from '../service/action.ts';
import { client } from '../service/client.ts';
import { usePermissions } from '../service/current-user.ts';
import { ACCOUNT_KEY } from './account-queries.ts';
import { FormError, isErrorAt } from './entry/form-error.tsx';
import { ScopeChoices } from './scope-choices.tsx';

const DAYS = [7, 30, 90, 365] as const;
const DEFAULT_DAYS = 90;

interface NewKey {
  name: string;
  scopes: readonly KeyScope[];
  expiresInDays: number;
}

/** Creates an API key, then shows it once. */
export function NewKeyDialog({ onClose }: { onClose: () => void }) {
  const t = useTranslations('account.keys');
  const queries = useQueryClient();
  const create = useAction({
    mutationFn: (body: NewKey) => client.createKey({ body }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ACCOUNT_KEY }),
  });
  if (create.data !== undefined)
    return (
      <SecretDialog title={t('createdTitle')} label={t('theKey')} value={create.data.key} onClose={onClose}>
        <p className="note" data-tone="pending">
          {t('createdText')}
        </p>
      </SecretDialog>
    );
  return (
    <Dialog isOpen onClose={onClose} title={t('new')} isClosable={!create.isPending}>
      <NewKeyForm isBusy={create.isPending} error={create.error} onSubmit={(key) => create.mutate(key)} />
    </Dialog>
  );
}

interface NewKeyFormProps {
  isBusy: boolean;
  error: Error | null;
  onSubmit: (key: NewKey) => void;
}

function NewKeyForm({ isBusy, error, onSubmit }: NewKeyFormProps) {
  const t = useTranslations('account.keys');
  const { administer } = usePermissions();
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<readonly KeyScope[]>(['read:pets']);
  const [expiresInDays, setDays] = useState<number>(DEFAULT_DAYS);
  const [isSubmitted, setSubmitted] = useState(false);
  const isNamed = name.trim() !== '' && name.length <= KEY_LIMITS.nameLength && !isErrorAt(error, '/name');
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    setSubmitted(true);
    if (name.trim() !== '' && scopes.length > 0) onSubmit({ name: name.trim(), scopes, expiresInDays });
  };
  return (
    <form className="stack" onSubmit={submit} noValidate>
      <TextField
        label={t('name')}
        description={t('nameHint')}
        required
        autoComplete="off"
        data-autofocus
        value={name}
        maxLength={KEY_LIMITS.nameLength}
        error={isSubmitted && !isNamed ? t('nameFault') : undefined}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
      />
      <ScopeChoices
        offered={KEY_SCOPES.filter((scope) => scope !== 'read:metrics' || administer)}
        chosen={scopes}
        error={isSubmitted && scopes.length === 0 ? t('scopesFault') : undefined}
        onChange={setScopes}
      />
      <Expiry days={expiresInDays} onChange={setDays} />
      <FormError error={error} text={isErrorAt(error, 'conflict') ? t('tooMany') : undefined} />
      <Button type="submit" loading={isBusy}>
        {t('create')}
      </Button>
    </form>
  );
}

function Expiry({ days, onChange }: { days: number; onChange: (days: number) => void }) {
  const t = useTranslations('account.keys');
  return (
    <SelectField
      label={t('expiry')}
      value={days}
      onChange={({ currentTarget }) => onChange(Number(currentTarget.value))}
    >
      {DAYS.map((each) => (
        <option key={each} value={each}>
          {t('days', { days: each })}
        </option>
      ))}
    </SelectField>
  );
}
