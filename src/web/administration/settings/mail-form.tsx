import { useQueryClient } from '@tanstack/react-query';
import { useState, type ChangeEvent } from 'react';
import { useTranslations } from 'use-intl';
import { Section } from '../../account/section.tsx';
import { Button } from '../../design/buttons.tsx';
import { SelectField, TextField } from '../../design/fields/field.tsx';
import { PasswordField } from '../../design/fields/password-field.tsx';
import { showNotice } from '../../design/notices.ts';
import { useAction } from '../../service/action.ts';
import { client } from '../../service/client.ts';
import { systemQuery } from '../admin-queries.ts';
import { FormEnd, isWrongAt } from '../organisation/form-parts.tsx';
import {
  bodyOf,
  fieldsOf,
  mailSettingsQuery,
  SECURITIES,
  withSecurity,
  type MailFields,
  type MailView,
  type Security,
} from './mail-fields.ts';

interface MailFormProps {
  settings: MailView;
  etag: string | undefined;
}

/** The mail server. It is saved as a whole, unless another administrator has changed it. */
export function MailForm({ settings, etag }: MailFormProps) {
  const t = useTranslations('administration.settings.mail');
  const [saved] = useState(() => fieldsOf(settings));
  const [fields, setFields] = useState(saved);
  const save = useSave(etag);
  const isFromFixed = settings.fixed.some(({ name }) => name === 'mail-from');
  const isDisabled = settings.missing.length > 0;
  const input = (field: Exclude<keyof MailFields, 'security'>) => ({
    label: t(`field.${field}`),
    name: field,
    value: fields[field],
    disabled: isDisabled,
    error: isWrongAt(save.error, `/${field}`) ? t(`fault.${field}`) : undefined,
    onChange: ({ currentTarget }: ChangeEvent<HTMLInputElement>) =>
      setFields({ ...fields, [field]: currentTarget.value }),
  });
  return (
    <form
      noValidate
      autoComplete="off"
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate(bodyOf(fields, isFromFixed));
      }}
    >
      <Section title={t('server')}>
        <TextField {...input('host')} placeholder="mail.example.org" maxLength={253} autoCapitalize="none" />
        <SelectField
          label={t('field.security')}
          value={fields.security}
          disabled={isDisabled}
          error={isWrongAt(save.error, '/security') ? t('fault.security') : undefined}
          onChange={({ currentTarget }) => setFields(withSecurity(fields, currentTarget.value as Security))}
        >
          {SECURITIES.map((security) => (
            <option key={security} value={security}>
              {t(`security.${security}`)}
            </option>
          ))}
        </SelectField>
        <TextField {...input('port')} inputMode="numeric" maxLength={5} />
        <TextField {...input('username')} description={t('usernameHint')} maxLength={255} autoCapitalize="none" />
        <PasswordField
          {...input('password')}
          description={t(settings.hasPassword ? 'passwordKept' : 'passwordHint')}
          autoComplete="new-password"
          maxLength={255}
        />
        {!isFromFixed && <TextField {...input('from')} description={t('fromHint')} type="email" maxLength={254} />}
      </Section>
      <FormEnd
        error={save.error}
        isBusy={save.isPending}
        hasUnsaved={JSON.stringify(fields) !== JSON.stringify(saved)}
        onDiscard={() => setFields(saved)}
      >
        {settings.host !== undefined && (
          <Button variant="subtle" disabled={save.isPending} onClick={() => save.mutate({})}>
            {t('remove')}
          </Button>
        )}
      </FormEnd>
    </form>
  );
}

function useSave(etag: string | undefined) {
  const t = useTranslations('administration.settings.mail');
  const queries = useQueryClient();
  return useAction({
    mutationFn: (body: ReturnType<typeof bodyOf>) =>
      client.updateMailSettings.response({ body }, etag === undefined ? {} : { ifMatch: etag }),
    onSuccess: async ({ value, etag: newEtag }) => {
      queries.setQueryData(mailSettingsQuery.queryKey, { settings: value, etag: newEtag });
      showNotice({ text: t(value?.host === undefined ? 'removed' : 'saved') });
      await queries.invalidateQueries(systemQuery);
    },
  });
}
