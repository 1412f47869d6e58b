import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { FormError, isErrorAt } from '../../account/entry/form-error.tsx';
import { Button } from '../../design/buttons.tsx';
import { TextField } from '../../design/fields/field.tsx';
import { useAction } from '../../service/action.ts';
import { client } from '../../service/client.ts';

/** Sends a test message, and shows what the server answered. */
export function TestMail() {
  const t = useTranslations('administration.system.mail');
  const [to, setTo] = useState('');
  const test = useAction({ mutationFn: () => client.testMail({ body: { to: to.trim() } }) });
  const isMalformed = isErrorAt(test.error, '/to');
  return (
    <form
      className="stack"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        test.mutate();
      }}
    >
      <TextField
        label={t('to')}
        name="to"
        type="email"
        autoComplete="email"
        value={to}
        error={isMalformed ? t('malformed') : undefined}
        onChange={({ currentTarget }) => {
          test.reset();
          setTo(currentTarget.value);
        }}
      />
      <FormError error={isMalformed ? null : test.error} />
      <div role="status">
        {test.data !== undefined && (
          <p className="note" data-tone={test.data.sent ? undefined : 'danger'}>
            {t(test.data.sent ? 'sent' : 'notSent', { answer: test.data.answer })}
          </p>
        )}
      </div>
      <div>
        <Button type="submit" variant="default" loading={test.isPending}>
          {t('test')}
        </Button>
      </div>
    </form>
  );
}
