import { CircleDot, Eye, EyeOff, Shapes, Tags, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { Button } from '../../design/buttons.tsx';
import { Menu, MenuDivider, MenuItem } from '../../design/menu.tsx';
import { ConfirmDialog } from '../../design/dialog.tsx';
import type { PetView } from '../../service/queries.ts';
import { CategoryDialog } from './category-dialog.tsx';
import { StatusMenuItems } from '../selection/status-menu.tsx';
import styles from '../selection/selection-bar.module.css';
import { TagsDialog } from './tags-dialog.tsx';
import { useBulkActions } from './bulk-actions.ts';

const ICON = { size: '1.15em', 'aria-hidden': true } as const;
const NAMES_SHOWN = 5;

type Question = 'category' | 'tags' | 'delete';

export function SelectionActions({ pets }: { pets: readonly PetView[] }) {
  const t = useTranslations('listEditing.actions');
  const visibility = useTranslations('listEditing.visibility');
  const { change } = useBulkActions();
  const [question, setQuestion] = useState<Question>();
  const close = () => setQuestion(undefined);
  return (
    <div className={styles['actions']}>
      <Menu
        renderButton={(props) => (
          <Button variant="default" leftSection={<CircleDot {...ICON} />} {...props}>
            {t('status')}
          </Button>
        )}
      >
        <StatusMenuItems
          value={commonStatus(pets)}
          onChoose={(status) => change(pets, { kind: 'status', status: status ?? null })}
        />
        <MenuDivider />
        <MenuItem icon={<Eye {...ICON} />} onClick={() => change(pets, { kind: 'visibility', isDraft: false })}>
          {visibility('publish')}
        </MenuItem>
        <MenuItem icon={<EyeOff {...ICON} />} onClick={() => change(pets, { kind: 'visibility', isDraft: true })}>
          {visibility('makeDraft')}
        </MenuItem>
      </Menu>
      <Button variant="default" leftSection={<Shapes {...ICON} />} onClick={() => setQuestion('category')}>
        {t('category')}
      </Button>
      <Button variant="default" leftSection={<Tags {...ICON} />} onClick={() => setQuestion('tags')}>
        {t('tags')}
      </Button>
      <Button variant="default" leftSection={<Trash2 {...ICON} />} onClick={() => setQuestion('delete')}>
        {t('delete')}
      </Button>
      <CategoryDialog isOpen={question === 'category'} pets={pets} onClose={close} />
      <TagsDialog isOpen={question === 'tags'} pets={pets} onClose={close} />
      <DeleteDialog isOpen={question === 'delete'} pets={pets} onClose={close} />
    </div>
  );
}

interface QuestionProps {
  isOpen: boolean;
  pets: readonly PetView[];
  onClose: () => void;
}

function DeleteDialog({ isOpen, pets, onClose }: QuestionProps) {
  const t = useTranslations('listEditing.deletion');
  const { change } = useBulkActions();
  const confirm = () => {
    onClose();
    change(pets, { kind: 'delete' });
  };
  return (
    <ConfirmDialog
      isOpen={isOpen}
      isDangerous
      title={t('title', { count: pets.length })}
      confirmLabel={t('confirm', { count: pets.length })}
      onConfirm={confirm}
      onCancel={onClose}
    >
      <ul className={styles['names']}>
        {pets.slice(0, NAMES_SHOWN).map(({ id, name }) => (
          <li key={String(id)}>{name}</li>
        ))}
        {pets.length > NAMES_SHOWN && <li>{t('more', { count: pets.length - NAMES_SHOWN })}</li>}
      </ul>
      <p>{t('text')}</p>
    </ConfirmDialog>
  );
}

/** Null if they differ. */
function commonStatus(pets: readonly PetView[]): PetView['status'] | null {
  const statuses = new Set(pets.map(({ status }) => status));
  return statuses.size === 1 ? [...statuses][0] : null;
}
