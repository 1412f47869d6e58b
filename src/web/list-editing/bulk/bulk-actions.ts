import { useQueryClient } from '@tanstack/react-query';
import { useTranslations } from 'use-intl';
import { showNotice } from '../../design/notices.ts';
import { PETS_KEY, type PetView } from '../../service/queries.ts';
import type { BulkChange } from './bulk-change.ts';
import { startChange, startUndo, type Report } from './bulk-work.ts';
import { clearSelection, deselect, select } from '../selection/selection.ts';

export interface BulkActions {
  change: (pets: readonly PetView[], change: BulkChange) => void;
  undo: (report: Report) => void;
}

/** Changes many pets and reports the result. Pets that failed stay selected. */
export function useBulkActions(): BulkActions {
  const t = useTranslations('listEditing.bulk');
  const queries = useQueryClient();

  async function run(started: Promise<Report> | undefined): Promise<void> {
    if (started === undefined) return;
    const report = await started;
    keepSelected(report);
    const { change, isUndo, outcome } = report;
    const [first] = outcome.changed;
    const values = { count: outcome.changed.length, name: first?.before.name ?? '' };
    // Failures are shown in a dialog, which also has the undo button.
    if (outcome.failed.length === 0) {
      const canUndo = !isUndo && values.count > 0;
      const text = t(isUndo ? 'undone' : `done.${change.kind}`, values);
      showNotice({ text, ...(canUndo && { action: { label: t('undo'), run: () => void run(startUndo(report)) } }) });
    }
    await queries.invalidateQueries({ queryKey: PETS_KEY });
  }

  return {
    change: (pets, change) => void run(startChange(pets, change)),
    undo: (report) => void run(startUndo(report)),
  };
}

function keepSelected({ change, isUndo, outcome: { changed, failed } }: Report): void {
  // Deleting a pet by its own menu does not affect the selection of others.
  if (change.kind === 'delete' && !isUndo) deselect(changed.map(({ before }) => before));
  else if (failed.length > 0) clearSelection();
  if (!isUndo) select(failed.map(({ pet }) => pet));
}
