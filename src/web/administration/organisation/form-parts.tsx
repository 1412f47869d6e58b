import type { ReactNode } from 'react';
import { useTranslations } from 'use-intl';
import { MenagerieError } from '../../../client/failures.ts';
import { FormError } from '../../account/entry/form-error.tsx';
import { Button } from '../../design/buttons.tsx';

/** Whether the service has refused a value, or one inside of it. */
export function isWrongAt(error: Error | null, path: string): boolean {
  if (!(error instanceof MenagerieError)) return false;
  return error.errors.some((each) => each.path === path || each.path.startsWith(`${path}/`));
}

/** The end of a form: its error and the button that saves it. */
export function SaveRow({ error, isBusy, children }: { error: Error | null; isBusy: boolean; children?: ReactNode }) {
  const t = useTranslations('administration.organisation');
  const isOfFields = error instanceof MenagerieError && error.errors.length > 0;
  return (
    <div className="stack">
      <FormError error={error} text={isOfFields ? t('wrongFields') : undefined} />
      <div className="row">
        <Button type="submit" loading={isBusy}>
          {t('save')}
        </Button>
        {children}
      </div>
    </div>
  );
}
