import { useQueryClient } from '@tanstack/react-query';
import { KeyRound } from 'lucide-react';
import { useState, type SubmitEvent } from 'react';
import { useTranslations } from 'use-intl';
import { nameProgram } from '../../../api/web/user-agents.ts';
import { Button } from '../../design/buttons.tsx';
import { TextField } from '../../design/fields/field.tsx';
import { useAction } from '../../service/action.ts';
import { client } from '../../service/client.ts';
import { isErrorAt } from '../entry/form-error.tsx';
import { LoginError } from '../entry/login-error.tsx';
import { createPasskey } from '../entry/passkeys.ts';
import { factorsQuery } from './factor-queries.ts';

interface PasskeySetupProps {
  /** @param codes new recovery codes, if the account had none */
  onDone: (codes: readonly string[] | undefined) => void;
}

export const PASSKEY_NAME_LENGTH = 64;

/** Adds a passkey. The name helps to find it again; the browser shows the rest. */
export function PasskeySetup({ onDone }: PasskeySetupProps) {
  const t = useTranslations('signIn.passkeys');
  const queries = useQueryClient();
  const [name, setName] = useState(nameOfDevice);
  const add = useAction({
    mutationFn: async () => {
      const { step, options } = await client.startPasskey();
      return client.addPasskey({ body: { step, name: name.trim(), credential: await createPasskey(options) } });
    },
    onSuccess: async ({ recoveryCodes }) => {
      await queries.invalidateQueries({ queryKey: factorsQuery.queryKey });
      onDone(recoveryCodes);
    },
  });
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (name.trim() !== '') add.mutate();
  };
  return (
    <form className="stack" onSubmit={submit} noValidate>
      <p>{t('text')}</p>
      <TextField
        label={t('name')}
        description={t('nameHint')}
        required
        autoComplete="off"
        data-autofocus
        maxLength={PASSKEY_NAME_LENGTH}
        value={name}
        error={name.trim() === '' ? t('nameFault') : undefined}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
      />
      <LoginError
        error={add.error}
        attempt={add.submittedAt}
        wrongText={t('refused')}
        text={isErrorAt(add.error, 'conflict') ? t('tooMany') : undefined}
      />
      <Button type="submit" leftSection={<KeyRound size="1.1em" aria-hidden />} loading={add.isPending}>
        {t('create')}
      </Button>
    </form>
  );
}

/** Such as `Chrome, Linux`. */
function nameOfDevice(): string {
  const name = nameProgram(navigator.userAgent);
  return [name?.program, name?.system].filter((part) => part !== undefined).join(', ');
}
