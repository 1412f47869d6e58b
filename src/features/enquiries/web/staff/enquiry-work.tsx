import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { ENQUIRY_STATES, type EnquiryState } from '../../api/enquiry-rules.ts';
import { FormError, isErrorAt } from '../../../../web/account/entry/form-error.tsx';
import { Section } from '../../../../web/account/section.tsx';
import { Button } from '../../../../web/design/buttons.tsx';
import { SelectField } from '../../../../web/design/fields/field.tsx';
import { client } from '../../../../web/service/client.ts';
import { useCurrentUser } from '../../../../web/service/current-user.ts';
import { useStaff, type ReadEnquiry } from './enquiry-queries.ts';
import { useEnquiryChange } from './use-enquiry-change.ts';

type Change = { state: EnquiryState } | { assignee: string | null };

/** The state of an enquiry, and who takes care of it. */
export function EnquiryWork({ read: { enquiry, etag } }: { read: ReadEnquiry }) {
  const t = useTranslations('enquiries');
  const { id, state, assignee } = enquiry;
  const change = useEnquiryChange<Change>(id, (body) =>
    client.updateEnquiry.response({ enquiryId: id, body }, etag === undefined ? {} : { ifMatch: etag }),
  );
  const isUnknown = isErrorAt(change.error, '/assignee');
  return (
    <Section title={t('work')} lead={assignee === null ? t('unassigned') : t('assignedTo', { username: assignee })}>
      <div className="row" role="group" aria-label={t('state')}>
        {ENQUIRY_STATES.map((each) => (
          <Button
            key={each}
            variant={each === state ? 'filled' : 'default'}
            aria-pressed={each === state}
            disabled={change.isPending}
            onClick={() => each !== state && change.mutate({ state: each })}
          >
            {t(`states.${each}`)}
          </Button>
        ))}
      </div>
      <Assignment
        key={assignee}
        assignee={assignee}
        isBusy={change.isPending}
        error={isUnknown ? t('unknownAssignee') : undefined}
        onAssign={(chosen) => change.mutate({ assignee: chosen })}
      />
      <FormError error={isUnknown ? null : change.error} />
    </Section>
  );
}

interface AssignmentProps {
  assignee: string | null;
  isBusy: boolean;
  error: string | undefined;
  onAssign: (assignee: string | null) => void;
}

function Assignment({ assignee, isBusy, error, onAssign }: AssignmentProps) {
  const t = useTranslations('enquiries');
  const currentUser = useCurrentUser();
  const staff = useStaff();
  const [chosen, setChosen] = useState(assignee ?? '');
  const me = currentUser?.username;
  // A former colleague may still have enquiries.
  const names = new Set(assignee === null ? staff : [...staff, assignee]);
  return (
    <form
      className="stack"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (chosen !== (assignee ?? '')) onAssign(chosen === '' ? null : chosen);
      }}
    >
      <SelectField
        label={t('assignTo')}
        value={chosen}
        error={error}
        onChange={({ currentTarget }) => setChosen(currentTarget.value)}
      >
        <option value="">{t('nobody')}</option>
        {[...names].toSorted().map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </SelectField>
      <div className="row">
        <Button type="submit" variant="default" disabled={isBusy}>
          {t('assign')}
        </Button>
        {me !== undefined && me !== assignee && (
          <Button variant="default" disabled={isBusy} onClick={() => onAssign(me)}>
            {t('assignToMe')}
          </Button>
        )}
      </div>
    </form>
  );
}
