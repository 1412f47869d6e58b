import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'use-intl';
import { Button } from '../design/buttons.tsx';
import { MenagerieError } from '../../client/failures.ts';
import { ConfirmDialog, Dialog } from '../design/dialog.tsx';
import { client } from '../service/client.ts';
import { useFailureText } from '../service/failure-text.ts';
import { PETS_KEY, type ReadPet } from '../service/queries.ts';
import { comparePets } from './differences.ts';
import { FieldDifferences } from './field-differences.tsx';
import styles from './history-page.module.css';
import { useRestoreVersion } from './use-restore.ts';

const PRECONDITION_FAILED = 412;

interface RestoreDialogProps {
  petId: string;
  version: bigint;
  /** The current version; undefined if the pet is deleted. */
  current: ReadPet | undefined;
  onClose: () => void;
}

/** Shows what restoring would change, and asks for confirmation. */
export function RestoreDialog({ petId, version, current, onClose }: RestoreDialogProps) {
  const t = useTranslations('history.restore');
  const app = useTranslations('app');
  const { restore, isPending, error } = useRestoreVersion(petId);
  const { data } = useQuery({
    queryKey: [...PETS_KEY, 'version', petId, String(version)],
    queryFn: ({ signal }) => client.getPetVersion({ petId: BigInt(petId), version }, { signal }),
  });
  const past = data?.pet ?? undefined;
  const changes = past && current ? comparePets(current.pet, past) : undefined;
  if (changes?.length === 0)
    return (
      <Dialog
        isOpen
        onClose={onClose}
        title={t('title')}
        size="small"
        actions={<Button onClick={onClose}>{app('close')}</Button>}
      >
        <p>{t('same')}</p>
      </Dialog>
    );
  return (
    <ConfirmDialog
      isOpen
      title={t('title')}
      confirmLabel={t('confirm')}
      isBusy={isPending}
      onConfirm={() => restore({ version, ifMatch: current?.etag }, { onSuccess: onClose })}
      onCancel={onClose}
    >
      <Problem error={error} />
      {current === undefined && <p>{t('isDeleted')}</p>}
      {changes !== undefined && (
        <>
          <p className={styles['lead']}>{t('lead')}</p>
          <FieldDifferences changes={changes} />
        </>
      )}
    </ConfirmDialog>
  );
}

/** After a conflict, the differences below are relative to the new version. */
function Problem({ error }: { error: Error | null }) {
  const t = useTranslations('history.restore');
  const failureText = useFailureText();
  const isOld = error instanceof MenagerieError && error.status === PRECONDITION_FAILED;
  return (
    <div role="alert">
      {error !== null && <p className={styles['problem']}>{isOld ? t('changedMeanwhile') : failureText(error)}</p>}
    </div>
  );
}
