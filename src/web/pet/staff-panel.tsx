import { Eye, EyeOff, History, IdCard, Pencil, Trash2 } from 'lucide-react';
import { useTranslations } from 'use-intl';
import { Badge } from '../design/badge.tsx';
import { Button, LinkButton } from '../design/buttons.tsx';
import { useStaffLinks } from '../features/staff-links.ts';
import type { PetView, ReadPet } from '../service/queries.ts';
import { useRefreshAfterUploads } from '../photos/use-uploads.ts';
import { Uploads } from '../photos/uploads.tsx';
import { STATUSES, useStatusChange, useStatusName } from '../list-editing/selection/status-change.ts';
import { useDeletePet } from './pet-changes.ts';
import { usePublication } from './publication.ts';
import styles from './staff-panel.module.css';

const ICON = { size: '1.1em', 'aria-hidden': true } as const;

/** The controls of a pet for users who may change it. */
export function StaffPanel({ id, read }: { id: string; read: ReadPet }) {
  const t = useTranslations('petPage.staff');
  const page = useTranslations('petPage');
  const all = useTranslations();
  const visibility = useTranslations('listEditing.visibility');
  const staffLinks = useStaffLinks(true);
  const { deletePet, isDeleting } = useDeletePet(id);
  const { isDraft, isChanging, setDraft } = usePublication(read.pet);
  const params = { petId: id };
  useRefreshAfterUploads();
  return (
    <section className={styles['panel']} aria-labelledby="staff-panel">
      <div className="row">
        <h2 id="staff-panel" className={styles['title']}>
          {t('title')}
        </h2>
        {isDraft === true && <DraftMark />}
        {isDraft === true && (
          <Button leftSection={<Eye {...ICON} />} loading={isChanging} onClick={() => setDraft(false)}>
            {visibility('publish')}
          </Button>
        )}
      </div>
      <StatusField pet={read.pet} />
      <Uploads petId={id} />
      <div className="row">
        <LinkButton to="/pets/$petId/edit" params={params} leftSection={<Pencil {...ICON} />}>
          {t('edit')}
        </LinkButton>
        <LinkButton to="/pets/$petId/history" params={params} variant="default" leftSection={<History {...ICON} />}>
          {t('history')}
        </LinkButton>
        <LinkButton to="/pets/$petId/card" params={params} variant="default" leftSection={<IdCard {...ICON} />}>
          {page('card')}
        </LinkButton>
        {staffLinks.map(({ to, Icon, labelIn }) => (
          <LinkButton key={to} to={to} search={params} variant="default" leftSection={<Icon {...ICON} />}>
            {labelIn(all)}
          </LinkButton>
        ))}
        {isDraft === false && (
          <Button
            variant="default"
            leftSection={<EyeOff {...ICON} />}
            loading={isChanging}
            onClick={() => setDraft(true)}
          >
            {visibility('makeDraft')}
          </Button>
        )}
        <Button
          variant="default"
          className="wrong"
          leftSection={<Trash2 {...ICON} />}
          loading={isDeleting}
          onClick={() => deletePet(read)}
        >
          {t('delete')}
        </Button>
      </div>
    </section>
  );
}

function DraftMark() {
  const t = useTranslations('profileForm.published');
  return <Badge tone="pending">{t('off')}</Badge>;
}

/** Directly on the page: the status changes most often. */
function StatusField({ pet }: { pet: PetView }) {
  const t = useTranslations('petPage.staff');
  const nameOf = useStatusName();
  const { changeStatus, isChanging } = useStatusChange(pet);
  return (
    <fieldset className={styles['statuses']} aria-busy={isChanging}>
      <legend>{t('status')}</legend>
      {STATUSES.map((status) => (
        <label key={status} className={styles['status']} data-status={status}>
          <input
            type="radio"
            name="status"
            value={status}
            checked={pet.status === status}
            onChange={() => changeStatus(status)}
          />
          <span>{nameOf(status)}</span>
        </label>
      ))}
    </fieldset>
  );
}
