import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { FormError } from '../../account/entry/form-error.tsx';
import { ProgramItem } from '../../account/program-item.tsx';
import { ConfirmDialog } from '../../design/dialog.tsx';
import { EmptyState } from '../../design/empty-state.tsx';
import { showNotice } from '../../design/notices.ts';
import { useAction } from '../../service/action.ts';
import { client } from '../../service/client.ts';
import { useFailureText } from '../../service/failure-text.ts';
import { hasAddress } from '../../../api/web/admin-addresses.ts';
import { AdminOnly, AdminPage } from '../admin-page.tsx';
import { programsQuery, type ProgramView } from '../admin-queries.ts';
import sectionStyles from '../../account/section.module.css';

export function ProgramsPage() {
  return (
    <AdminOnly>
      <Programs />
    </AdminOnly>
  );
}

/** The programs that all users have registered for OAuth 2.0. */
function Programs() {
  const t = useTranslations('administration.programs');
  const { data: programs, error } = useQuery(programsQuery);
  const [selected, setSelected] = useState<ProgramView>();
  return (
    <AdminPage title={t('title')} lead={t('lead')}>
      <FormError error={error} />
      {programs?.length === 0 && <EmptyState title={t('none')}>{t('noneText')}</EmptyState>}
      {programs !== undefined && programs.length > 0 && (
        <ul className={sectionStyles['list']} aria-label={t('title')}>
          {programs.map((program) => (
            <ProgramItem
              key={program.id}
              program={program}
              onDelete={() => setSelected(program)}
              owner={program.owner !== undefined && <Owner username={program.owner} />}
            />
          ))}
        </ul>
      )}
      {selected !== undefined && <DeleteDialog program={selected} onClose={() => setSelected(undefined)} />}
    </AdminPage>
  );
}

function Owner({ username }: { username: string }) {
  const t = useTranslations('administration.programs');
  return (
    <>
      {t('owner')} {/* Some usernames cannot be part of an address. */}
      {hasAddress(username) ? (
        <Link to="/admin/users/$username" params={{ username }}>
          {username}
        </Link>
      ) : (
        username
      )}
      ,{' '}
    </>
  );
}

function DeleteDialog({ program: { id, name }, onClose }: { program: ProgramView; onClose: () => void }) {
  const t = useTranslations('account.programs');
  const queries = useQueryClient();
  const failureText = useFailureText();
  const deletion = useAction({
    mutationFn: () => client.deleteAnyOAuthClient({ clientId: id }),
    onSuccess: () => showNotice({ text: t('deleted') }),
    onError: (error) => showNotice({ text: failureText(error), isError: true }),
    onSettled: () => {
      onClose();
      return queries.invalidateQueries(programsQuery);
    },
  });
  return (
    <ConfirmDialog
      isOpen
      title={t('askDelete', { name })}
      confirmLabel={t('delete')}
      isDangerous
      isBusy={deletion.isPending}
      onConfirm={() => deletion.mutate()}
      onCancel={onClose}
    >
      {t('askDeleteText')}
    </ConfirmDialog>
  );
}
