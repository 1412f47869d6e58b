import styles from './place-of-others.module.css';

/** Where other pets are about to stand: what is below does not move when they come. */
export function PlaceOfOthers() {
  return <div className={styles['place']} aria-hidden="true" />;
}
