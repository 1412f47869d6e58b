import { useTranslations } from 'use-intl';
import type { PetView } from '../../service/queries.ts';
import styles from './tags-dialog.module.css';

interface TagsToRemoveProps {
  pets: readonly PetView[];
  tags: readonly string[];
  onChange: (tags: readonly string[]) => void;
}

/** Checkboxes for the tags of the pets. */
export function TagsToRemove({ pets, tags, onChange }: TagsToRemoveProps) {
  const t = useTranslations('listEditing.tags');
  const counts = countTags(pets);
  if (counts.length === 0) return null;
  return (
    <fieldset className={styles['removing']}>
      <legend>{t('remove')}</legend>
      <div className={styles['chips']}>
        {counts.map(([name, count]) => (
          <label key={name} className={styles['removable']}>
            <input
              type="checkbox"
              checked={tags.includes(name)}
              onChange={({ currentTarget }) =>
                onChange(currentTarget.checked ? [...tags, name] : tags.filter((each) => each !== name))
              }
            />
            <span className={styles['tag']}>{name}</span>
            <span className={styles['tagCount']}>{t('count', { count })}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

/** The most common first. */
function countTags(pets: readonly PetView[]): readonly (readonly [name: string, count: number])[] {
  const names = pets.flatMap((pet) => [...new Set(pet.tags.flatMap(({ name }) => name ?? []))]);
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].toSorted(([a, countA], [b, countB]) => countB - countA || a.localeCompare(b));
}
