import { MenagerieError } from '../../client/failures.ts';
import { useFailureText } from '../service/failure-text.ts';
import styles from './account.module.css';

/** Is it about this field (`/password`), or a failure of this kind (`conflict`)? */
export function problemAt(error: unknown, what: `/${string}` | 'conflict' | 'not-found'): boolean {
  if (!(error instanceof MenagerieError)) return false;
  return what.startsWith('/') ? error.errors.some(({ path }) => path === what) : error.code === what;
}

interface FormTroubleProps {
  error: Error | null;
  /** Instead of what is usually said. */
  text?: string | undefined;
}

/** What went wrong with a form as a whole. The place is always there: what comes into it is read out. */
export function FormTrouble({ error, text }: FormTroubleProps) {
  const failureText = useFailureText();
  return <div role="alert">{error !== null && <p className={styles['trouble']}>{text ?? failureText(error)}</p>}</div>;
}
