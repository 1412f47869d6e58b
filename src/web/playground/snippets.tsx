import { useTranslations } from 'use-intl';
import { CodeBlock } from '../design/code-block.tsx';

/** The entry of the package with the typed client. */
const CLIENT = 'menagerie/client';

const SNIPPETS = {
  curl: (base: string) => `curl -X POST '${base}/pet' --json '{"name":"Rex","status":"available"}'`,
  fetch: (base: string) => `const response = await fetch('${base}/pet', {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ name: 'Rex', status: 'available' }),
});
const pet = await response.json();`,
  client: (base: string) => `import { createClient } from '${CLIENT}';

const client = createClient({ base: '${base}' });
const pet = await client.addPet({ body: { name: 'Rex', status: 'available' } });`,
} as const;

const NAMES = Object.keys(SNIPPETS) as (keyof typeof SNIPPETS)[];

/** The first request to a playground, in three ways. */
export function Snippets({ base }: { base: string }) {
  const t = useTranslations('playground.door');
  const { copy, copied } = { copy: t('copy'), copied: t('copied') };
  return NAMES.map((name) => {
    const label = name === 'client' ? t('client') : name;
    return (
      <div key={name}>
        <h3>{label}</h3>
        <CodeBlock label={label} code={SNIPPETS[name](base)} copyLabel={copy} copiedLabel={copied} />
      </div>
    );
  });
}
