import { Button } from '@mantine/core';
import { useFormatter, useTranslations } from 'use-intl';
import { FormNotice } from '../form-notices.tsx';
import type { FieldName } from '../pet-fields.ts';
import type { Version } from '../saving/saving.ts';
import type { PetFormState } from '../use-pet-form.ts';
import { useLastChange } from './last-change.ts';
import { compareVersions } from './three-way.ts';

interface NewerNoticeProps {
  /** Its digits; undefined for a pet to come. */
  petId: string | undefined;
  form: PetFormState;
  current: Version | undefined;
  onCompare: (newer: Version) => void;
}

/** Reports changes that were saved while the form was open, and who made them. Always there, so that it is read out. */
export function NewerNotice({ petId, form, current, onCompare }: NewerNoticeProps) {
  const t = useTranslations('editing');
  const format = useFormatter();
  const namesOf = (fields: readonly FieldName[]) => format.list(fields.map((field) => t(`field.${field}`)));
  const isNewer = current !== undefined && current.etag !== form.base.etag;
  const overlapping = isNewer
    ? compareVersions({ base: form.base.fields, mine: form.typed, theirs: current.fields }).overlapping
    : [];
  const isTold = overlapping.length > 0 || form.takenOver.length > 0;
  const last = useLastChange(isTold ? petId : undefined);
  if (last === undefined) return <div role="status" />;
  const who = last.by === 'named' ? t('newer.by.named', { name: last.name }) : t(`newer.by.${last.by}`);
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
          {who} {t('newer.overlapping', { fields: namesOf(overlapping) })}
        </FormNotice>
      ) : (
        form.takenOver.length > 0 && (
          <FormNotice>
            {who} {t('newer.taken', { fields: namesOf(form.takenOver) })}
          </FormNotice>
        )
      )}
    </div>
  );
}
