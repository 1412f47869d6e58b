import { useFormatter, useTranslations } from 'use-intl';
import { Button } from '../../design/buttons.tsx';
import { FormNotice } from './form-notices.tsx';
import type { FieldName } from '../form-state/pet-fields.ts';
import type { Version } from '../form-state/saving.ts';
import type { PetFormState } from '../form-state/use-pet-form.ts';
import { useLastChange } from '../form-state/last-change.ts';
import { compareVersions } from '../form-state/three-way-merge.ts';

interface NewerVersionNoticeProps {
  /** In digits; undefined for a new pet. */
  petId: string | undefined;
  form: PetFormState;
  current: Version | undefined;
  onCompare: (newer: Version) => void;
}

/**
 * Reports changes that were saved while the form was open, and their author. Always mounted, as a live region must be.
 */
export function NewerVersionNotice({ petId, form, current, onCompare }: NewerVersionNoticeProps) {
  const t = useTranslations('editing');
  const format = useFormatter();
  const namesOf = (fields: readonly FieldName[]) => format.list(fields.map((field) => t(`field.${field}`)));
  const isNewer = current !== undefined && current.etag !== form.base.etag;
  const overlapping = isNewer
    ? compareVersions({ base: form.base.fields, mine: form.typed, theirs: current.fields }).overlapping
    : [];
  const isReported = overlapping.length > 0 || form.takenOver.length > 0;
  const last = useLastChange(isReported ? petId : undefined);
  if (last === undefined) return <div role="status" />;
  const who = { by: last.by, name: last.by === 'named' ? last.name : '' };
  return (
    <div role="status">
      {overlapping.length > 0 && current !== undefined ? (
        <FormNotice
          actions={
            <Button variant="default" onClick={() => onCompare(current)}>
              {t('newer.compare')}
            </Button>
          }
        >
          {t('newer.overlapping', { ...who, fields: namesOf(overlapping) })}
        </FormNotice>
      ) : (
        form.takenOver.length > 0 && (
          <FormNotice>{t('newer.taken', { ...who, fields: namesOf(form.takenOver) })}</FormNotice>
        )
      )}
    </div>
  );
}
