import { useRef, type ReactNode } from 'react';
import { useTranslations } from 'use-intl';
import { MenagerieError } from '../../../client/failures.ts';
import { FormError } from '../../account/entry/form-error.tsx';
import { Button } from '../../design/buttons.tsx';
import { LeaveGuard } from '../../editing/leave-guard.tsx';
import { SaveBar, SaveButtons, SaveStatus } from '../../editing/save-bar.tsx';

/** Whether the service has refused a value, or one inside of it. */
export function isWrongAt(error: Error | null, path: string): boolean {
  if (!(error instanceof MenagerieError)) return false;
  return error.errors.some((each) => each.path === path || each.path.startsWith(`${path}/`));
}

function SaveError({ error }: { error: Error | null }) {
  const t = useTranslations('administration.form');
  const isOfFields = error instanceof MenagerieError && error.errors.length > 0;
  return <FormError error={error} text={isOfFields ? t('wrongFields') : undefined} />;
}

interface FormEndProps {
  error: Error | null;
  isBusy: boolean;
  hasUnsaved: boolean;
  /** Called when the user leaves without saving. */
  onDiscard: () => void;
  /** Before the button that saves. */
  children?: ReactNode;
}

/** The end of a form that is a page: its error, its state and the button that saves it. It stays in view. */
export function FormEnd({ error, isBusy, hasUnsaved, onDiscard, children }: FormEndProps) {
  const t = useTranslations('administration.form');
  const mayLeave = useRef(false);
  return (
    <>
      <SaveBar news={<SaveError error={error} />}>
        <SaveStatus>
          <span role="status">{hasUnsaved && t('unsaved')}</span>
        </SaveStatus>
        <SaveButtons>
          {children}
          <Button type="submit" loading={isBusy}>
            {t('save')}
          </Button>
        </SaveButtons>
      </SaveBar>
      <LeaveGuard hasUnsaved={hasUnsaved} files={0} mayLeave={mayLeave} onDiscard={onDiscard} />
    </>
  );
}
