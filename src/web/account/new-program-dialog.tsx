import { useQueryClient } from '@tanstack/react-query';
import { useState, type SubmitEvent } from 'react';
import { useTranslations } from 'use-intl';
import { OAUTH_CLIENT_LIMITS, OAUTH_SCOPES, type OAuthScope } from '../../api/web/oauth-parameters.ts';
import { Button } from '../design/buttons.tsx';
import { Dialog } from '../design/dialog.tsx';
import { Field, TextField } from '../design/fields/field.tsx';
import { SecretDialog } from '../design/secret-dialog.tsx';
import { useAction } from '../service/action.ts';
import { client } from '../service/client.ts';
import { ACCOUNT_KEY } from './account-queries.ts';
import { FormError, isErrorAt } from './entry/form-error.tsx';
import { ScopeChoices } from './scope-choices.tsx';

interface NewProgram {
  name: string;
  redirectUris: readonly string[];
  scopes: readonly OAuthScope[];
  isPublic: boolean;
}

/** Registers a program, then shows its secret once, or the ID of one without a secret. */
export function NewProgramDialog({ onClose }: { onClose: () => void }) {
  const t = useTranslations('account.programs');
  const queries = useQueryClient();
  const create = useAction({
    mutationFn: (body: NewProgram) => client.createOAuthClient({ body }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ACCOUNT_KEY }),
  });
  if (create.data !== undefined) {
    const { id, secret } = create.data;
    return (
      <SecretDialog
        title={t('createdTitle')}
        label={t(secret === undefined ? 'theId' : 'theSecret')}
        value={secret ?? id}
        onClose={onClose}
      >
        <p>{t('createdId', { id })}</p>
        {secret !== undefined && (
          <p className="note" data-tone="pending">
            {t('createdText')}
          </p>
        )}
      </SecretDialog>
    );
  }
  return (
    <Dialog isOpen onClose={onClose} title={t('new')} isClosable={!create.isPending}>
      <NewProgramForm isBusy={create.isPending} error={create.error} onSubmit={(program) => create.mutate(program)} />
    </Dialog>
  );
}

interface NewProgramFormProps {
  isBusy: boolean;
  error: Error | null;
  onSubmit: (program: NewProgram) => void;
}

function NewProgramForm({ isBusy, error, onSubmit }: NewProgramFormProps) {
  const t = useTranslations('account.programs');
  const [name, setName] = useState('');
  const [addresses, setAddresses] = useState('');
  const [scopes, setScopes] = useState<readonly OAuthScope[]>(['read:pets']);
  const [hasSecret, setHasSecret] = useState(true);
  const [isSubmitted, setSubmitted] = useState(false);
  const redirectUris = addresses.split(/\s+/).filter((address) => address !== '');
  const isMissing = !hasSecret && redirectUris.length === 0;
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    setSubmitted(true);
    if (name.trim() === '' || scopes.length === 0 || isMissing) return;
    onSubmit({ name: name.trim(), redirectUris, scopes, isPublic: !hasSecret });
  };
  const isAddressWrong = redirectUris.some((_, index) => isErrorAt(error, `/redirectUris/${index}`));
  return (
    <form className="stack" onSubmit={submit} noValidate>
      <TextField
        label={t('name')}
        description={t('nameHint')}
        required
        autoComplete="off"
        data-autofocus
        value={name}
        maxLength={OAUTH_CLIENT_LIMITS.nameLength}
        error={isSubmitted && name.trim() === '' ? t('nameFault') : undefined}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
      />
      <Addresses
        text={addresses}
        error={isAddressWrong || (isSubmitted && isMissing) ? t('addressesFault') : undefined}
        onChange={setAddresses}
      />
      <ScopeChoices
        offered={OAUTH_SCOPES}
        chosen={scopes}
        error={isSubmitted && scopes.length === 0 ? t('scopesFault') : undefined}
        onChange={setScopes}
      />
      <label className="row">
        <input
          type="checkbox"
          checked={hasSecret}
          onChange={({ currentTarget }) => setHasSecret(currentTarget.checked)}
        />
        {t('hasSecret')}
      </label>
      <FormError error={isAddressWrong ? null : error} text={textOf(error, t)} />
      <Button type="submit" loading={isBusy}>
        {t('create')}
      </Button>
    </form>
  );
}

function textOf(error: Error | null, t: (key: 'tooMany' | 'loginNeeded') => string): string | undefined {
  if (isErrorAt(error, 'conflict')) return t('tooMany');
  return isErrorAt(error, 'forbidden') ? t('loginNeeded') : undefined;
}

interface AddressesProps {
  text: string;
  error: string | undefined;
  onChange: (text: string) => void;
}

function Addresses({ text, error, onChange }: AddressesProps) {
  const t = useTranslations('account.programs');
  return (
    <Field label={t('addresses')} description={t('addressesHint')} error={error}>
      {(controlProps) => (
        <textarea
          rows={2}
          autoComplete="off"
          spellCheck={false}
          value={text}
          onChange={({ currentTarget }) => onChange(currentTarget.value)}
          {...controlProps}
        />
      )}
    </Field>
  );
}
