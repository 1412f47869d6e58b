import { useQueryClient } from '@tanstack/react-query';
import { useTranslations } from 'use-intl';
import { showNotice } from '../../design/notices.ts';
import { PETS_KEY, type PetView } from '../../service/queries.ts';
import type { BulkChange } from './bulk-change.ts';
import { startChange, startUndo, type Report } from './bulk-work.ts';
import { clearSelection, deselect, select } from '../selection.ts';

export interface BulkActions {
  change: (pets: readonly PetView[], change: BulkChange) => void;
  undo: (report: Report) => void;
}

/** Changes many pets and tells how it went. What was not done stays selected. */
export function useBulkActions(): BulkActions {
  const t = useTranslations('listEditing.bulk');
  const queries = useQueryClient();

  async function follow(started: Promise<Report> | undefined): Promise<void> {
    if (started === undefined) return;
    const report = await started;
    keepSelected(report);
    const { change, isUndo, outcome } = report;
    const [first] = outcome.changed;
    const values = { count: outcome.changed.length, name: first?.before.name ?? '' };
    // What was not done has a dialog of its own, and what can be undone is undone there.
    if (outcome.failed.length === 0) {
      const canUndo = !isUndo && values.count > 0;
      const text = t(isUndo ? 'undone' : `done.${change.kind}`, values);
      showNotice({ text, ...(canUndo && { action: { label: t('undo'), run: () => void follow(startUndo(report)) } }) });
    }
    await queries.invalidateQueries({ queryKey: PETS_KEY });
  }

  return {
    change: (pets, change) => void follow(startChange(pets, change)),
    undo: (report) => void follow(startUndo(report)),
  };
}

function keepSelected({ change, isUndo, outcome: { changed, failed } }: Report): void {
  // One that is removed by its own menu takes nothing from the others.
  if (change.kind === 'remove' && !isUndo) deselect(changed.map(({ before }) => before));
  else if (failed.length > 0) clearSelection();
  if (!isUndo) select(failed.map(({ pet }) => pet));
}
