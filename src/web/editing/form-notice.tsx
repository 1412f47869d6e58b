import { CircleAlert, Info } from 'lucide-react';
import type { ReactNode, Ref } from 'react';
import styles from './form-notice.module.css';

interface FormNoticeProps {
  title?: string;
  children: ReactNode;
  actions?: ReactNode;
  isTrouble?: boolean;
  /** Where the focus is brought to it. */
  ref?: Ref<HTMLDivElement>;
}

/** Stands above the form: what has happened, and what can be done. */
export function FormNotice({ title, children, actions, isTrouble = false, ref }: FormNoticeProps) {
  const Icon = isTrouble ? CircleAlert : Info;
  return (
    <div ref={ref} tabIndex={-1} className={styles['notice']} data-trouble={isTrouble || undefined}>
      <Icon size="1.35rem" aria-hidden />
      <div className={styles['content']}>
        {title !== undefined && <h2 className={styles['title']}>{title}</h2>}
        <div>{children}</div>
        {actions !== undefined && <div className={styles['actions']}>{actions}</div>}
      </div>
    </div>
  );
}
