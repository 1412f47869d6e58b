import { useTranslations } from 'use-intl';
import { ROLES, type Role } from '../../../api/web/admin-addresses.ts';
import type { AuditAction } from '../../../api/web/audit-addresses.ts';
import type { AuditEntryView } from '../admin-queries.ts';

/** The key of an action in the texts, where a dot would separate levels. */
type WordOf<A extends AuditAction> = A extends `${infer Group}.${infer Name}` ? `${Group}-${Name}` : A;

function wordOf<A extends AuditAction>(action: A): WordOf<A> {
  return action.replace('.', '-') as WordOf<A>;
}

/** Actions that fail because of a wrong password or an invalid link. */
const FAILURES = [
  'session.begun',
  'session.proved',
  'account.password-changed',
  'account.password-reset',
  'key.created',
  'oauth-client.allowed',
] as const;

function isKnownFailure(action: AuditAction): action is (typeof FAILURES)[number] {
  return (FAILURES as readonly string[]).includes(action);
}

type ActionOfPet = Extract<AuditAction, `pet.${string}`>;

function isOfPet(action: AuditAction): action is ActionOfPet {
  return action.startsWith('pet.');
}

interface AuditWords {
  groupName: (group: string) => string;
  actionName: (action: AuditAction) => string;
  /**
   * The entry as a sentence.
   *
   * @param petName the name of the pet, if the entry itself does not have it
   */
  sentence: (entry: AuditEntryView, petName?: string | null) => string;
  /** A sentence for the same action on several pets. */
  groupSentence: (first: AuditEntryView, count: number) => string;
  /** The origin of the request: interface and IP address. */
  details: (entry: AuditEntryView) => string;
}

export function useAuditWords(): AuditWords {
  const t = useTranslations('administration.audit');
  const roles = useTranslations('account.role');
  const roleName = (role: string | undefined) =>
    ROLES.some((each) => each === role) ? roles(role as Role) : (role ?? '');
  const whoOf = ({ actor, via }: AuditEntryView) => {
    const name = actor?.name ?? null;
    if (name === null) return t('somebody');
    if (via === 'provider') return t('provider', { name });
    return via === 'command-line' ? t('operator', { name }) : name;
  };

  function whatOf({ subject }: AuditEntryView, petName: string | null): string {
    if (subject === null) return t('nothing');
    const { kind, id } = subject;
    const name = subject.name ?? petName;
    if (kind === 'pet' && name !== null) return t('namedPet', { name, id });
    return name === null ? t(`kind.${kind}`, { id }) : name;
  }

  function sentence(entry: AuditEntryView, petName: string | null = null): string {
    const { action, outcome, details } = entry;
    const words = { who: whoOf(entry), what: whatOf(entry, petName) };
    if (action === 'access') return t('refused', { ...words, wanted: details?.['wanted'] ?? '' });
    if (outcome === 'failed' && action === 'session.begun' && details?.['factor'] !== undefined)
      return t('wrongFactor', words);
    if (outcome === 'failed' && isKnownFailure(action)) return t(`failed.${wordOf(action)}`, words);
    if (outcome !== 'done') return t('notDone', { ...words, action: t(`actions.${wordOf(action)}`) });
    const before = details?.['renamedFrom'];
    if (before !== undefined) return t('renamed', { ...words, before });
    return t(`done.${wordOf(action)}`, {
      ...words,
      role: roleName(details?.['to'] ?? details?.['role']),
      before: roleName(details?.['from']),
      invited: String(details?.['invitationExpires'] !== undefined || details?.['invitation'] !== undefined),
      count: Number(details?.['sessions'] ?? 1),
    });
  }

  return {
    groupName: (group) => t(`group.${group as 'pet'}`),
    actionName: (action) => t(`actions.${wordOf(action)}`),
    sentence,
    groupSentence: (first, count) =>
      isOfPet(first.action) ? t(`many.${wordOf(first.action)}`, { who: whoOf(first), count }) : sentence(first),
    details: ({ via, address }) =>
      [t(`via.${via}`), address === null ? undefined : t('from', { address })]
        .filter((each) => each !== undefined)
        .join(', '),
  };
}
