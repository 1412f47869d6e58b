import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { ArrowLeft } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useTranslations } from 'use-intl';
import { mayRole } from '../../../api/web/bootstrap.ts';
import { MenagerieError } from '../../../client/failures.ts';
import { LinkButton } from '../../../web/design/buttons.tsx';
import { EmptyState } from '../../../web/design/empty-state.tsx';
import { Page, usePageTitle } from '../../../web/design/page.tsx';
import backStyles from '../../../web/pet/around/back-link.module.css';
import { MissingPet } from '../../../web/pet/missing-pet.tsx';
import { QueryError } from '../../../web/routing/error-pages.tsx';
import { useAction } from '../../../web/service/action.ts';
import { bootstrap } from '../../../web/service/bootstrap.ts';
import { petQuery } from '../../../web/service/queries.ts';
import { useLanguage } from '../../../web/texts/loaded-texts.ts';
import { findFaults, type Faults } from './draft-checks.ts';
import { keepDraft, readDraft, type EnquiryDraft } from './enquiry-draft.ts';
import { EnquiryFields } from './enquiry-fields.tsx';
import { enquiryFormQuery, type LoadedForm } from './enquiry-form.ts';
import { sendEnquiry } from './send-enquiry.ts';

const NOT_FOUND = 404;

export function EnquirePage() {
  const { petId } = useParams({ from: '/pets/$petId/enquire' });
  const unnamed = useTranslations('pet')('unnamed');
  const { data: read, ...pet } = useQuery({ ...petQuery(petId), retryOnMount: false });
  const { data: loaded, ...form } = useQuery(enquiryFormQuery(petId));
  const [sent, setSent] = useState<{ id: string; email: string }>();
  const error = pet.error ?? form.error;
  if (read !== undefined && loaded !== undefined) {
    const subject = { id: petId, name: read.pet.name.trim() === '' ? unnamed : read.pet.name };
    if (sent?.id === petId) return <Sent {...subject} email={sent.email} />;
    if (!loaded.form.isOpen) return <Closed {...subject} isForNow={loaded.form.closedUntil !== undefined} />;
    return <OpenForm key={petId} {...subject} loaded={loaded} onSent={(email) => setSent({ id: petId, email })} />;
  }
  if (error instanceof MenagerieError && error.status === NOT_FOUND) return <MissingPet id={petId} />;
  const retry = () => void Promise.all([pet.refetch(), form.refetch()]);
  if (error !== null) return <QueryError level={1} error={error} onRetry={retry} />;
  return <Skeleton />;
}

interface Subject {
  /** The ID of the pet. */
  id: string;
  name: string;
}

interface OpenFormProps extends Subject {
  loaded: LoadedForm;
  onSent: (email: string) => void;
}

function OpenForm({ id, name, loaded, onSent }: OpenFormProps) {
  const t = useTranslations('enquire');
  const { questions } = loaded.form;
  const [draft, setDraft] = useState(() => readDraft(id));
  const [found, setFound] = useState<{ faults: Faults; count: number }>({ faults: new Map(), count: 0 });
  const send = useSend(id, loaded, onSent);
  useEffect(() => keepDraft(id, draft), [id, draft]);
  const change = (changed: EnquiryDraft) => {
    setDraft(changed);
    // A corrected field is no longer marked. Others are marked only when the form is sent.
    const left = findFaults(changed, questions);
    setFound({ ...found, faults: new Map([...found.faults].filter(([path]) => left.has(path))) });
    send.reset();
  };
  const submit = (website: string) => {
    const faults = findFaults(draft, questions);
    setFound({ faults, count: found.count + 1 });
    if (faults.size === 0) send.mutate({ draft, website });
  };
  return (
    <Page title={t('title', { name })} lead={t('lead')} isNarrow>
      <PetLink id={id} name={name} />
      <EnquiryFields
        form={loaded.form}
        draft={draft}
        faults={found.faults}
        faultCount={found.count}
        error={send.error}
        isBusy={send.isPending}
        onChange={change}
        onSubmit={submit}
      />
    </Page>
  );
}

function PetLink({ id, name }: Subject) {
  const t = useTranslations('enquire');
  return (
    <Link to="/pets/$petId" params={{ petId: id }} activeOptions={{ exact: true }} className={backStyles['back']}>
      <ArrowLeft size="1.1em" aria-hidden />
      {t('back', { name })}
    </Link>
  );
}

function useSend(petId: string, loaded: LoadedForm, onSent: (email: string) => void) {
  const queries = useQueryClient();
  const language = useLanguage();
  return useAction({
    mutationFn: (sent: { draft: EnquiryDraft; website: string }) =>
      sendEnquiry({
        ...sent,
        petId,
        language,
        loaded,
        reload: () => queries.fetchQuery({ ...enquiryFormQuery(petId), staleTime: 0 }),
      }),
    onSuccess: (outcome, { draft }) => {
      // Otherwise the form is closed now, and the page says so.
      if (outcome === 'closed') return;
      keepDraft(petId, undefined);
      onSent(draft.email.trim());
    },
  });
}

/** Whether the person gets a confirmation by e-mail: not where everyone may name pets. */
function isConfirmed(): boolean {
  return bootstrap.mail === true && !mayRole(undefined, 'write pets', bootstrap.access);
}

/** Confirms the enquiry, and says what happens next. */
function Sent({ id, name, email }: Subject & { email: string }) {
  const t = useTranslations('enquire.sent');
  const place = useRef<HTMLDivElement>(null);
  usePageTitle(t('title'));
  // The button that had the focus is gone.
  useEffect(() => place.current?.querySelector('h1')?.focus(), []);
  return (
    <div ref={place}>
      <EmptyState level={1} title={t('title')} actions={<PetLinks id={id} />}>
        <p>{t('text', { name, email })}</p>
        {isConfirmed() && <p>{t('confirmation')}</p>}
      </EmptyState>
    </div>
  );
}

function Closed({ id, name, isForNow }: Subject & { isForNow: boolean }) {
  const t = useTranslations('enquire.closed');
  usePageTitle(t('title'));
  return (
    <EmptyState level={1} title={t('title')} actions={<PetLinks id={id} />}>
      <p>{isForNow ? t('forNow') : t('text', { name })}</p>
      {bootstrap.site.contact !== undefined && (
        <Link to="/about" hash="contact">
          {t('contact')}
        </Link>
      )}
    </EmptyState>
  );
}

function PetLinks({ id }: Pick<Subject, 'id'>) {
  const t = useTranslations('enquire');
  return (
    <>
      <LinkButton to="/pets/$petId" params={{ petId: id }}>
        {t('toPet')}
      </LinkButton>
      <LinkButton to="/" variant="default">
        {t('toPets')}
      </LinkButton>
    </>
  );
}

function Skeleton() {
  const t = useTranslations('enquire');
  return (
    <Page title={t('coming')} lead={t('lead')} isNarrow>
      <div aria-busy="true" />
    </Page>
  );
}
