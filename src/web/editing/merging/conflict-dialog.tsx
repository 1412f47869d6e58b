import { useState } from 'react';
import { useFormatter, useNow, useTranslations } from 'use-intl';
import { Button } from '../../design/buttons.tsx';
import { Dialog } from '../../design/dialog.tsx';
import type { FieldName, PetFields } from '../form-state/pet-fields.ts';
import { FieldChoice, useFieldText } from './field-choice.tsx';
import { useLastChange } from '../form-state/last-change.ts';
import {
  compareVersions,
  mergeVersions,
  type Choice,
  type Choices,
  type ThreeVersions,
} from '../form-state/three-way-merge.ts';
import styles from './conflict-dialog.module.css';

interface ConflictDialogProps {
  petId: string;
  versions: ThreeVersions;
  onSave: (fields: PetFields) => void;
  onClose: () => void;
}

/**
 * Compares two changes of one pet field by field and lets the user choose. If they affect different fields, both are
 * saved.
 */
export function ConflictDialog({ petId, versions, onSave, onClose }: ConflictDialogProps) {
  const t = useTranslations('editing');
  const { overlapping, onlyTheirs } = compareVersions(versions);
  const [choices, setChoices] = useState<Choices>(() => choicesFor(overlapping, 'mine'));
  const isFitting = overlapping.length === 0;
  const actions = (
    <>
      <Button variant="default" onClick={onClose}>
        {t('conflict.back')}
      </Button>
      <Button onClick={() => onSave(mergeVersions(versions, choices))} data-autofocus={isFitting || undefined}>
        {t(isFitting ? 'conflict.saveBoth' : 'conflict.save')}
      </Button>
    </>
  );
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t(isFitting ? 'conflict.fitTitle' : 'conflict.title')}
      actions={actions}
      size="large"
    >
      <p className={styles['lead']}>
        <LastChange petId={petId} /> {t(isFitting ? 'conflict.fitText' : 'conflict.text')}
      </p>
      {overlapping.length > 1 && (
        <div className={styles['all']}>
          {(['mine', 'theirs'] as const).map((side) => (
            <Button key={side} variant="default" onClick={() => setChoices(choicesFor(overlapping, side))}>
              {t(side === 'mine' ? 'conflict.allMine' : 'conflict.allTheirs')}
            </Button>
          ))}
        </div>
      )}
      {overlapping.map((field) => (
        <FieldChoice
          key={field}
          field={field}
          versions={versions}
          choice={choices[field] ?? 'mine'}
          onChoose={(choice) => setChoices({ ...choices, [field]: choice })}
        />
      ))}
      {onlyTheirs.length > 0 && <OnlyTheirs fields={onlyTheirs} versions={versions} />}
    </Dialog>
  );
}

/** Tags default to the union of both changes, which loses nothing. */
function choicesFor(fields: readonly FieldName[], side: Choice): Choices {
  return Object.fromEntries(fields.map((field) => [field, field === 'tags' && side === 'mine' ? 'both' : side]));
}

function OnlyTheirs({ fields, versions }: { fields: readonly FieldName[]; versions: ThreeVersions }) {
  const t = useTranslations('editing');
  const fieldText = useFieldText();
  return (
    <section className={styles['others']}>
      <h3>{t('conflict.others')}</h3>
      <dl>
        {fields.map((field) => (
          <div key={field}>
            <dt>{t(`field.${field}`)}</dt>
            <dd>
              <del>{fieldText(field, versions.base)}</del>
              <span aria-hidden> → </span>
              <ins>{fieldText(field, versions.theirs)}</ins>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

/** The author and time of the last change; nothing if the history cannot be read. */
function LastChange({ petId }: { petId: string }) {
  const t = useTranslations('editing.conflict');
  const format = useFormatter();
  const now = useNow();
  const last = useLastChange(petId);
  if (last?.at === undefined) return null;
  const at = new Date(last.at);
  const when = format.relativeTime(at > now ? now : at, now);
  return <>{last.by === 'named' ? t('by.named', { name: last.name, when }) : t(`by.${last.by}`, { when })}</>;
}
