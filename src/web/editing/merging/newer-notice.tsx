import { Button } from '@mantine/core';
import { useFormatter, useTranslations } from 'use-intl';
import { FormNotice } from '../form-notice.tsx';
import type { FieldName } from '../pet-fields.ts';
import type { Version } from '../saving/saving.ts';
import type { PetForm } from '../use-pet-form.ts';
import { compareVersions } from './three-way.ts';

interface NewerNoticeProps {
  form: PetForm;
  current: Version | undefined;
  onCompare: (newer: Version) => void;
}

/** Tells of what others have changed while one was at it, and that nobody loses anything. Always there, so that it is read out. */
export function NewerNotice({ form, current, onCompare }: NewerNoticeProps) {
  const t = useTranslations('editing');
  const format = useFormatter();
  const namesOf = (fields: readonly FieldName[]) => format.list(fields.map((field) => t(`field.${field}`)));
  const isNewer = current !== undefined && current.etag !== form.base.etag;
  const overlapping = isNewer
    ? compareVersions({ base: form.base.fields, mine: form.typed, theirs: current.fields }).overlapping
    : [];
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
          {t('newer.overlapping', { fields: namesOf(overlapping) })}
        </FormNotice>
      ) : (
        form.takenOver.length > 0 && <FormNotice>{t('newer.taken', { fields: namesOf(form.takenOver) })}</FormNotice>
      )}
    </div>
  );
}
