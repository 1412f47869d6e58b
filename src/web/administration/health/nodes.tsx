import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { SelectField } from '../../design/fields/field.tsx';

interface Nodes<T> {
  /** Those that have responded, in order of their first response. */
  names: readonly string[];
  shown: T | undefined;
  choose: (name: string) => void;
}

/** The last response of each node: behind a balancer, each request may reach another one. */
export function useNodes<T extends { node: string }>(newest: T | undefined): Nodes<T> {
  const [responses, setResponses] = useState<Readonly<Record<string, T>>>({});
  const [chosen, choose] = useState<string>();
  if (newest !== undefined && responses[newest.node] !== newest) setResponses({ ...responses, [newest.node]: newest });
  return { names: Object.keys(responses), shown: responses[chosen ?? ''] ?? newest, choose };
}

/** Selects a node, once a second one has responded. */
export function NodeField({ names, shown, choose }: Nodes<{ node: string }>) {
  const t = useTranslations('administration.health');
  if (names.length < 2) return null;
  return (
    <SelectField label={t('node')} value={shown?.node} onChange={({ currentTarget }) => choose(currentTarget.value)}>
      {names.map((name) => (
        <option key={name}>{name}</option>
      ))}
    </SelectField>
  );
}
