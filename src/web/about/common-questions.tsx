import type { CommonQuestion, ShownText } from '../../api/words/organisation-texts.ts';
import styles from './about.module.css';

/** Questions that families ask often. They are open on paper, and found by the search of the browser. */
export function CommonQuestions({ text, lang }: ShownText<readonly CommonQuestion[]>) {
  return (
    <div lang={lang}>
      {text.map(({ question, answer }) => (
        <details key={question}>
          <summary>{question}</summary>
          <p className={styles['text']}>{answer}</p>
        </details>
      ))}
    </div>
  );
}
