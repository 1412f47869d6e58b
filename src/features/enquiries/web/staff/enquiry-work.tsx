import { useId, useState } from 'react';
import { useTranslations } from 'use-intl';
import { ENQUIRY_STATES, type EnquiryState } from '../../api/enquiry-rules.ts';
import { FormError, isErrorAt } from '../../../../web/account/entry/form-error.tsx';
import { Section } from '../../../../web/account/section.tsx';
import { Button } from '../../../../web/design/buttons.tsx';
import { TextField } from '../../../../web/design/fields/field.tsx';
import { client } from '../../../../web/service/client.ts';
import { useCurrentUser } from '../../../../web/service/current-user.ts';
import { useKnownStaff, type ReadEnquiry } from './enquiry-queries.ts';
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

/** Editors may not list users: they type the names of colleagues. */
function Assignment({ assignee, isBusy, error, onAssign }: AssignmentProps) {
  const t = useTranslations('enquiries');
  const currentUser = useCurrentUser();
  const staff = useKnownStaff();
  const [typed, setTyped] = useState('');
  const listId = useId();
  const me = currentUser?.username;
  return (
    <form
      className="stack"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (typed.trim() !== '') onAssign(typed.trim());
      }}
    >
      <TextField
        label={t('assignTo')}
        list={listId}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        value={typed}
        error={error}
        onChange={({ currentTarget }) => setTyped(currentTarget.value)}
      />
      <datalist id={listId}>
        {staff.map((username) => (
          <option key={username} value={username}>
            {username}
          </option>
        ))}
      </datalist>
      <div className="row">
        <Button type="submit" variant="default" disabled={isBusy}>
          {t('assign')}
        </Button>
        {me !== undefined && me !== assignee && (
          <Button variant="default" disabled={isBusy} onClick={() => onAssign(me)}>
            {t('assignToMe')}
          </Button>
        )}
        {assignee !== null && (
          <Button variant="default" disabled={isBusy} onClick={() => onAssign(null)}>
            {t('assignToNobody')}
          </Button>
        )}
      </div>
    </form>
  );
}
