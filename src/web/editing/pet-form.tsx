import { useEffect, useId, useRef, useState, type ReactNode } from 'react';
import { useFormatter, useNow, useTranslations } from 'use-intl';
import { Button } from '../design/buttons.tsx';
import type { ReadPet } from '../service/queries.ts';
import { storageOwnerOf, useCurrentUser } from '../service/current-user.ts';
import { FormNotice, FailureNotice, ProblemsNotice } from './merging/form-notices.tsx';
import { draftKey } from './form-state/draft-storage.ts';
import { EditActions, NewActions } from './form-actions.tsx';
import { LeaveGuard } from './leave-guard.tsx';
import { useDraft, type DraftState } from './form-state/use-draft.ts';
import { ConflictDialog } from './merging/conflict-dialog.tsx';
import { NewerVersionNotice } from './merging/newer-version-notice.tsx';
import { PetFormView } from './pet-form-view.tsx';
import type { PetFields } from './form-state/pet-fields.ts';
import { ProfileSection } from './profile/profile-section.tsx';
import type { ProfileForm } from './profile/use-profile-form.ts';
import type { Version } from './form-state/saving.ts';
import { useSaving } from './form-state/use-saving.ts';
import { useAction } from '../service/action.ts';
import { useOnline } from '../service/browser.ts';
import { usePetForm } from './form-state/use-pet-form.ts';

/** What the user has decided about the pet. */
export interface Decision {
  /** What to do after the pet is saved. */
  next: 'leave' | 'another';
  /** Only for a new pet: the form of another one has its visibility as a field. */
  isDraft?: boolean;
}

interface PetFormProps {
  /** Undefined for a new pet. */
  petId?: string;
  start: Version;
  /** The newest known version of the pet. */
  current?: Version;
  photos: ReactNode;
  /** Number of photos that are selected but not uploaded. */
  files?: number;
  profile: ProfileForm;
  /** Whether another new pet follows, and how the user changes that. */
  hasNext?: boolean;
  onNextChange?: (hasNext: boolean) => void;
  onSaved: (saved: ReadPet, decision: Decision) => void;
  /** Called when nothing was to be saved. */
  onUnchanged?: () => void;
}

/** The form of a pet, with drafts, conflict resolution and a confirmation before leaving. */
export function PetForm(props: PetFormProps) {
  const { petId, current, photos, files = 0, profile, hasNext = false, onNextChange = () => {} } = props;
  const formId = useId();
  const isOnline = useOnline();
  const { form, drafts, saving, mayLeave, save, saveMerged, discard } = useEditing(props);
  const hasUnsaved = form.changed.length > 0 || files > 0 || profile.hasInput;
  const { isSaving } = saving;
  const isNew = petId === undefined;
  const decided = (isDraft: boolean, isFollowed = hasNext) =>
    save({ next: isFollowed ? 'another' : 'leave', ...(isNew && { isDraft }) });
  const draftStatus = (
    <DraftStatus isSaving={isSaving} hasUnsaved={hasUnsaved} isStored={drafts.isStored && profile.isStored} />
  );
  return (
    <>
      <PetFormView
        formId={formId}
        form={form}
        isNew={isNew}
        isSaving={isSaving}
        onSave={() => decided(true)}
        onSaveAndAnother={isNew ? () => decided(true, true) : undefined}
        photos={photos}
        profile={<ProfileSection formId={formId} form={profile} isNew={isNew} />}
        actions={
          isNew ? (
            <NewActions
              isSaving={isSaving}
              draftStatus={draftStatus}
              hasNext={hasNext}
              onNextChange={onNextChange}
              onSave={decided}
            />
          ) : (
            <EditActions petId={petId} isSaving={isSaving} draftStatus={draftStatus} />
          )
        }
        notices={
          <>
            <DraftNotice drafts={drafts} profile={profile} isNew={isNew} />
            <ProblemsNotice formId={formId} saving={saving} problems={form.shownProblems} />
          </>
        }
        news={
          <>
            <NewerVersionNotice petId={petId} form={form} current={current} onCompare={saving.compareWith} />
            <FailureNotice saving={saving} isOnline={isOnline} />
          </>
        }
      />
      <LeaveGuard hasUnsaved={hasUnsaved} files={files} mayLeave={mayLeave} onDiscard={discard} />
      {saving.conflict !== undefined && petId !== undefined && (
        <ConflictDialog
          petId={petId}
          versions={saving.conflict}
          onClose={saving.closeConflict}
          onSave={(fields) => void saveMerged(fields)}
        />
      )}
    </>
  );
}

function useEditing(props: PetFormProps) {
  const { petId, start, current, profile, onUnchanged } = props;
  const form = usePetForm(start);
  const currentUser = useCurrentUser();
  // The draft belongs to the user who started it, even after their session has ended.
  const [key] = useState(() => draftKey(petId ?? 'new', storageOwnerOf(currentUser?.username)));
  const drafts = useDraft(key, form);
  const saving = useSaving({ petId, form, drafts, profile });
  const mayLeave = useRef(false);
  useFollowing(form, current);
  const discard = () => {
    drafts.end();
    profile.end();
  };

  const leave = () => {
    mayLeave.current = true;
    discard();
  };
  const finish = async (saved: ReadPet | undefined, decision: Decision) => {
    if (saved === undefined) return;
    if (petId !== undefined) await profile.readStored(petId);
    leave();
    props.onSaved(saved, decision);
  };
  const { mutate: save } = useAction({
    mutationFn: async (decision: Decision) => {
      if (!profile.validate()) return form.showProblems();
      if (onUnchanged === undefined || form.changed.length > 0 || profile.hasInput)
        return finish(await saving.save(decision.isDraft), decision);
      leave();
      onUnchanged();
    },
  });
  return {
    form,
    drafts,
    saving,
    mayLeave,
    discard,
    save,
    saveMerged: async (fields: PetFields) => finish(await saving.saveMerged(fields), { next: 'leave' }),
  };
}

/** Takes over changes of other users as soon as they are known. */
function useFollowing({ base, follow }: ReturnType<typeof usePetForm>, current: Version | undefined): void {
  useEffect(() => {
    if (current !== undefined && current.etag !== base.etag) follow(current);
    // Also after typing: a field that is set back to its original value no longer conflicts.
  }, [current, base, follow]);
}

interface DraftNoticeProps {
  drafts: DraftState;
  profile: ProfileForm;
  isNew: boolean;
}

/** Offers the drafts of the pet and of its profile together. */
function DraftNotice({ drafts, profile, isNew }: DraftNoticeProps) {
  const t = useTranslations('editing.draft');
  const format = useFormatter();
  const now = useNow();
  const offered = drafts.offered ?? profile.offered;
  const onBoth = (decide: 'accept' | 'refuse') => () => {
    drafts[decide]();
    profile[decide]();
  };
  if (offered === undefined) return null;
  const when = format.relativeTime(new Date(Math.min(offered.atMs, now.getTime())), now);
  const actions = (
    <>
      <Button onClick={onBoth('accept')}>{t('use')}</Button>
      <Button variant="default" onClick={onBoth('refuse')}>
        {t('drop')}
      </Button>
    </>
  );
  return (
    <FormNotice title={t('title')} actions={actions}>
      {t('text', { when })} {isNew && t('photos')}
    </FormNotice>
  );
}

interface DraftStatusProps {
  isSaving: boolean;
  hasUnsaved: boolean;
  isStored: boolean;
}

/** The state of the draft. Screen readers announce changes. */
function DraftStatus({ isSaving, hasUnsaved, isStored }: DraftStatusProps) {
  const t = useTranslations('editing');
  const text = isSaving ? 'saving' : hasUnsaved ? (isStored ? 'unsaved' : 'notKept') : undefined;
  return <span role="status">{text !== undefined && t(text)}</span>;
}
