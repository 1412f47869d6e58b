import { Copy, CopyCheck } from 'lucide-react';
import { useState } from 'react';
import { Button } from './buttons.tsx';
import styles from './code-block.module.css';

interface CodeProps {
  /** Its name for screen readers. */
  label: string;
  code: string;
}

/** A program or body of several lines, which scrolls. */
export function Code({ label, code }: CodeProps) {
  return (
    <pre tabIndex={0} className={styles['code']} aria-label={label} role="region">
      {code}
    </pre>
  );
}

interface CodeBlockProps extends CodeProps {
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
      <Code label={label} code={code} />
      <Button variant="default" leftSection={<Icon size="1.1em" aria-hidden />} onClick={() => void copy()}>
        {isCopied ? copiedLabel : copyLabel}
      </Button>
    </div>
  );
}
