import { useTranslations } from 'use-intl';
import { AUDIT_ACTIONS } from '../../../api/web/audit-addresses.ts';
import { useAuditWords } from '../../../web/administration/audit/audit-words.ts';

const GROUPS = { '*': 'all', 'pet.*': 'pets', 'account.*': 'accounts' } as const;

function isGroup(pattern: string): pattern is keyof typeof GROUPS {
  return Object.hasOwn(GROUPS, pattern);
}

/** Returns the names of event patterns. Single events have the names of their actions in the audit log. */
export function useEventName(): (pattern: string) => string {
  const t = useTranslations('administration.webhooks.groups');
  const { actionName } = useAuditWords();
  return (pattern) => {
    if (isGroup(pattern)) return t(GROUPS[pattern]);
    const action = AUDIT_ACTIONS.find((each) => each === pattern);
    return action === undefined ? pattern : actionName(action);
  };
}
