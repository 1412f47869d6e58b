import { useRef, useState } from 'react';
import { useTranslations } from 'use-intl';
import { ENQUIRY_LIMITS } from '../../api/enquiry-rules.ts';
import aboutStyles from '../../../../web/about/about.module.css';
import { FormError, isErrorAt } from '../../../../web/account/entry/form-error.tsx';
import { Section } from '../../../../web/account/section.tsx';
import sectionStyles from '../../../../web/account/section.module.css';
import { AnchorButton, Button } from '../../../../web/design/buttons.tsx';
import { DateTime } from '../../../../web/design/date-time.tsx';
import { AreaField } from '../../../../web/design/fields/area-field.tsx';
import { showNotice } from '../../../../web/design/notices.ts';
import { LeaveGuard } from '../../../../web/editing/leave-guard.tsx';
import { bootstrap } from '../../../../web/service/bootstrap.ts';
import { client } from '../../../../web/service/client.ts';
import type { EnquiryView } from './enquiry-queries.ts';
import { mailLink } from './enquiry-text.tsx';
import { useEnquiryChange } from './use-enquiry-change.ts';

/** The answers to the person, and the notes of staff. */
export function EnquiryEntries({ enquiry }: { enquiry: EnquiryView }) {
  const t = useTranslations('enquiries');
  const { entries = [] } = enquiry;
  const [answer, setAnswer] = useState('');
  const [note, setNote] = useState('');
  const mayLeave = useRef(false);
  const discard = () => {
    setAnswer('');
    setNote('');
  };
  return (
    <>
      {entries.length > 0 && (
        <Section title={t('entries')}>
          <ol className={sectionStyles['list']}>
            {entries.map((entry) => (
              <Entry key={entry.number} entry={entry} />
            ))}
          </ol>
        </Section>
      )}
      {bootstrap.mail === true ? (
        <NewEntry kind="answer" enquiry={enquiry} text={answer} onChange={setAnswer} />
      ) : (
        <AnswerElsewhere enquiry={enquiry} />
      )}
      <NewEntry kind="note" enquiry={enquiry} text={note} onChange={setNote} />
      <LeaveGuard
        hasUnsaved={answer.trim() !== '' || note.trim() !== ''}
        files={0}
        mayLeave={mayLeave}
        onDiscard={discard}
      />
    </>
  );
}

function Entry({ entry: { kind, author, at, text } }: { entry: NonNullable<EnquiryView['entries']>[number] }) {
  const t = useTranslations('enquiries');
  return (
    <li className={sectionStyles['item']}>
      <div>
        <p className={sectionStyles['itemTitle']}>{t(`${kind}.by`, { name: author.name ?? t('deletedUser') })}</p>
        <p className={sectionStyles['itemText']}>
          <DateTime at={at} />
        </p>
        <p className={aboutStyles['text']}>{text}</p>
      </div>
    </li>
  );
}

interface NewEntryProps {
  kind: 'answer' | 'note';
  enquiry: EnquiryView;
  text: string;
  onChange: (text: string) => void;
}

function NewEntry({ kind, enquiry: { id, email }, text, onChange }: NewEntryProps) {
  const t = useTranslations('enquiries');
  const add = kind === 'answer' ? client.answerEnquiry : client.addEnquiryNote;
  const change = useEnquiryChange<string>(id, (written) => add.response({ enquiryId: id, body: { text: written } }));
  const onAdded = () => {
    onChange('');
    showNotice({ text: t(`${kind}.done`) });
  };
  return (
    <Section title={t(`${kind}.title`)} lead={t(`${kind}.lead`, { email })}>
      <form
        className="stack"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (text.trim() !== '') change.mutate(text, { onSuccess: onAdded });
        }}
      >
        <AreaField
          label={t(`${kind}.label`)}
          rows={kind === 'answer' ? 8 : 3}
          maxLength={ENQUIRY_LIMITS.entryLength}
          value={text}
          onChange={onChange}
        />
        <FormError error={change.error} text={isErrorAt(change.error, 'conflict') ? t('tooManyEntries') : undefined} />
        <div>
          <Button type="submit" loading={change.isPending} disabled={text.trim() === ''}>
            {t(`${kind}.action`)}
          </Button>
        </div>
      </form>
    </Section>
  );
}

/** The service sends no e-mail. */
function AnswerElsewhere({ enquiry: { email, petName } }: { enquiry: EnquiryView }) {
  const t = useTranslations('enquiries');
  return (
    <Section title={t('answer.title')} lead={t('answer.noMail')}>
      <div>
        <AnchorButton variant="default" href={mailLink(email, t('answer.subject', { name: petName }))}>
          {t('answer.elsewhere')}
        </AnchorButton>
      </div>
    </Section>
  );
}
