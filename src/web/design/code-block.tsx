import { Copy, CopyCheck } from 'lucide-react';
import { useState } from 'react';
import { Button } from './buttons.tsx';
import styles from './code-block.module.css';

interface CodeBlockProps {
  /** Its name for screen readers. */
  label: string;
  code: string;
  copyLabel: string;
  copiedLabel: string;
}

/** A command or program with a copy button. Over plain HTTP, scripts cannot copy; then it can be selected. */
export function CodeBlock({ label, code, copyLabel, copiedLabel }: CodeBlockProps) {
  const [isCopied, setCopied] = useState(false);
  const Icon = isCopied ? CopyCheck : Copy;
  const copy = () =>
    navigator.clipboard.writeText(code).then(
      () => setCopied(true),
      () => setCopied(false),
    );
  return (
    <div className={styles['block']}>
      <pre tabIndex={0} className={styles['code']} aria-label={label} role="region">
        {code}
      </pre>
      <Button variant="default" leftSection={<Icon size="1.1em" aria-hidden />} onClick={() => void copy()}>
        {isCopied ? copiedLabel : copyLabel}
      </Button>
    </div>
  );
}
