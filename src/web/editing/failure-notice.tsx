import { Link } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { useTranslations } from 'use-intl';
import { MenagerieError, NetworkError } from '../../client/failures.ts';
import { useFailureText } from '../service/failure-text.ts';
import { FormNotice } from './form-notice.tsx';
import { isGone, type Saving } from './saving/use-saving.ts';

const UNAUTHENTICATED = 401;

/** Why it is not saved, where that has nothing to do with the fields. The focus comes here. */
export function FailureNotice({ saving, isOnline }: { saving: Saving; isOnline: boolean }) {
  const t = useTranslations('editing.refused');
  const explain = useExplanation();
  const notice = useRef<HTMLDivElement>(null);
  const { failures, failure } = saving;
  useEffect(() => {
    if (failures > 0) notice.current?.focus();
  }, [failures]);
  if (failure === undefined) return null;
  return (
    <FormNotice ref={notice} isTrouble title={t('title')}>
      {explain(failure, isOnline)} {isGone(failure) && <Link to="/pets/removed">{t('toRemoved')}</Link>}
    </FormNotice>
  );
}

function useExplanation(): (failure: unknown, isOnline: boolean) => string {
  const t = useTranslations('editing.refused');
  const failureText = useFailureText();
  return (failure, isOnline) => {
    if (failure instanceof NetworkError) return t(isOnline ? 'network' : 'offline');
    if (failure instanceof MenagerieError && failure.status === UNAUTHENTICATED) return t('session');
    return isGone(failure) ? t('gone') : failureText(failure);
  };
}
