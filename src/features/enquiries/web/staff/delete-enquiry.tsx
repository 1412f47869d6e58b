import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { FormError } from '../../../../web/account/entry/form-error.tsx';
import { Section } from '../../../../web/account/section.tsx';
import { Button } from '../../../../web/design/buttons.tsx';
import { leaveCovers } from '../../../../web/design/covers.ts';
import { ConfirmDialog } from '../../../../web/design/dialog.tsx';
import { showNotice } from '../../../../web/design/notices.ts';
import { useAction } from '../../../../web/service/action.ts';
import { client } from '../../../../web/service/client.ts';
import { ENQUIRIES_KEY } from './overview-query.ts';
import { enquiryQuery, type ReadEnquiry } from './enquiry-queries.ts';

/** Deletes an enquiry permanently. */
export function DeleteEnquiry({ read: { enquiry, etag } }: { read: ReadEnquiry }) {
  const t = useTranslations('enquiries.delete');
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  const { id, name } = enquiry;
  const deletion = useAction({
    mutationFn: () => client.deleteEnquiry({ enquiryId: id }, etag === undefined ? {} : { ifMatch: etag }),
    onSuccess: async () => {
      showNotice({ text: t('done') });
      await leaveCovers();
      await navigate({ to: '/enquiries', replace: true });
      queries.removeQueries({ queryKey: enquiryQuery(String(id)).queryKey });
      await queries.invalidateQueries({ queryKey: ENQUIRIES_KEY });
    },
    onError: () => {
      setAsking(false);
      return queries.invalidateQueries({ queryKey: enquiryQuery(String(id)).queryKey });
    },
  });
  return (
    <Section
      isDangerous
      title={t('title')}
      lead={t('lead')}
      actions={
        <Button variant="danger" onClick={() => setAsking(true)}>
          {t('action')}
        </Button>
      }
    >
      <FormError error={deletion.error} />
      <ConfirmDialog
        isOpen={isAsking}
        title={t('ask', { name })}
        confirmLabel={t('action')}
        isDangerous
        isBusy={deletion.isPending}
        onConfirm={() => deletion.mutate()}
        onCancel={() => setAsking(false)}
      >
        {t('text')}
      </ConfirmDialog>
    </Section>
  );
}
