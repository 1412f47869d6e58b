import { useTranslations } from 'use-intl';
import { Button } from '../design/buttons.tsx';
import { findInputOf, type CatalogueSearch } from '../../api/web/catalogue-search.ts';
import { showNotice } from '../design/notices.ts';
import { useAction } from '../service/action.ts';
import { client } from '../service/client.ts';
import { useFailureText } from '../service/failure-text.ts';
import type { PetView } from '../service/queries.ts';
import { MAX_SELECTED, select, useSelection } from './selection/selection.ts';

const PAGE_SIZE = 100;

/** Selects all results of the search, including those that are not loaded. */
export function SelectAll({ search, total = 0 }: { search: CatalogueSearch; total: number | undefined }) {
  const t = useTranslations('listEditing.selection');
  const failureText = useFailureText();
  const { size } = useSelection();
  const { mutate, isPending } = useAction({
    mutationFn: findAll,
    onSuccess: select,
    onError: (error) => showNotice({ text: failureText(error), isError: true }),
  });
  const count = Math.min(total, MAX_SELECTED);
  if (size >= count) return null;
  return (
    <Button variant="subtle" loading={isPending} onClick={() => mutate(search)}>
      {t(total > MAX_SELECTED ? 'first' : 'all', { count })}
    </Button>
  );
}

async function findAll(search: CatalogueSearch): Promise<readonly PetView[]> {
  const pets: PetView[] = [];
  const { include: _facts, ...input } = findInputOf(search);
  const question = { ...input, limit: PAGE_SIZE, covers: false };
  for await (const pet of client.findPets.all(question)) {
    pets.push(pet);
    if (pets.length === MAX_SELECTED) break;
  }
  return pets;
}
