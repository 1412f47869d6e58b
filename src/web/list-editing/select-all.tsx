import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useTranslations } from 'use-intl';
import { findInputOf, type CatalogueSearch } from '../../api/web/catalogue-search.ts';
import { showNotice } from '../design/notices.ts';
import { client } from '../service/client.ts';
import { useFailureText } from '../service/failure-text.ts';
import type { FoundPage, PetView } from '../service/queries.ts';
import { MAX_SELECTED, select, useSelection } from './selection.ts';

const PAGE_SIZE = 100;

/** Selects what the search finds, also what has not been scrolled to. */
export function SelectAll({ search, total }: { search: CatalogueSearch; total: FoundPage['total'] | undefined }) {
  const t = useTranslations('listEditing.selection');
  const failureText = useFailureText();
  const { size } = useSelection();
  const { mutate, isPending } = useMutation({
    mutationFn: findAll,
    onSuccess: select,
    onError: (error) => showNotice({ text: failureText(error), isTrouble: true }),
  });
  const count = Math.min(total?.count ?? 0, MAX_SELECTED);
  if (size >= count) return null;
  const isPart = total?.exact !== true || total.count > MAX_SELECTED;
  return (
    <Button variant="subtle" loading={isPending} onClick={() => mutate(search)}>
      {t(isPart ? 'first' : 'all', { count })}
    </Button>
  );
}

async function findAll(search: CatalogueSearch): Promise<readonly PetView[]> {
  const found: PetView[] = [];
  const question = { ...findInputOf(search), limit: PAGE_SIZE, covers: false };
  for await (const pet of client.findPets.all(question)) {
    found.push(pet);
    if (found.length === MAX_SELECTED) break;
  }
  return found;
}
