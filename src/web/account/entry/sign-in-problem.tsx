import { useTranslations } from 'use-intl';
import { readSignInProblem } from '../../../api/web/sign-in-problems.ts';
import { useTokenOfAddress } from './token-of-address.ts';

/** Why a login at a provider failed. The service redirects to this page with the reason in the fragment. */
export function SignInProblem() {
  const t = useTranslations('account.signInProblem');
  const problem = readSignInProblem(useTokenOfAddress());
  if (problem === undefined) return null;
  return (
    <p role="alert" className="note" data-tone="danger">
      {t(problem)}
    </p>
  );
}
