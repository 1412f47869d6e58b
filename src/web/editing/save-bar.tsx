import type { ReactNode } from 'react';
import styles from './save-bar.module.css';

interface SaveBarProps {
  /** Above the buttons, so that the fields do not move: changes of other users, and errors. */
  news?: ReactNode;
  children: ReactNode;
}

/** The end of a form, which stays in view: its state, and the buttons that save it. */
export function SaveBar({ news, children }: SaveBarProps) {
  return (
    <div className={styles['bar']}>
      <div className={styles['news']}>{news}</div>
      {children}
    </div>
  );
}

export function SaveStatus({ children }: { children: ReactNode }) {
  return <div className={styles['status']}>{children}</div>;
}

export function SaveButtons({ children }: { children: ReactNode }) {
  return <div className={styles['buttons']}>{children}</div>;
}
