/* The words of this feature that tables of the core contain. */

export const GROUPS = { webhooks: 'Webhooks: changes that are sent to other systems' } as const;

export const AUDIT_ACTIONS = [
  'webhook.created',
  'webhook.updated',
  'webhook.deleted',
  'webhook.secret-rotated',
  'webhook.rotation-ended',
  'webhook.dead-letters-retried',
] as const;

export const SUBJECT_KINDS = ['webhook'] as const;

/** As in `storage/rows/stored-names.ts`. */
export const STORED_NAMES = [
  ['webhook.deleted', 'webhook.removed'],
  ['webhook.dead-letters-retried', 'webhook.letters-sent-again'],
] as const;

export const JOB_NAMES = ['webhooks'] as const;

/** The source file of each page. */
export const PAGES = {
  '/admin/webhooks': 'webhooks-page.tsx',
  '/admin/webhooks/$webhookId': 'webhook-page.tsx',
} as const;

export const PLAYGROUND_LIMITS = { webhooks: 10 } as const;

export const SETTINGS = [
  {
    name: 'webhook-private-addresses',
    default: 'false',
    help: 'allow webhooks to private addresses, including this machine, and to plain http',
  },
] as const;

export const CHECKS = { webhooks: { title: 'Changes for webhooks', problems: ['webhook-behind'] } } as const;

export const PROBLEMS = {
  'webhook-behind': {
    severity: 'warning',
    canRepair: false,
    message: 'Webhooks to which a change was not sent for ten minutes: {count}.',
    advice:
      'The service may be stopped, or the receiver slow. With 1,000 failed deliveries, a webhook waits for its ' +
      'receiver: the page Webhooks shows what it said.',
  },
} as const;

/** The receiver is in the same process. */
export const SETTINGS_IN_PROCESS = { 'webhook-private-addresses': 'true' } as const;

const SECOND_MS = 1000;

export const FIXED_SETTINGS = {
  /** Slower receivers do more than to store the event, while the next deliveries wait. */
  webhookTimeoutMs: 10 * SECOND_MS,
  /** After each failed attempt: a receiver has 46 hours to be repaired. */
  webhookRetryDelaysMs: [5, 30, 120, 600, 3600, 10_800, 21_600, 43_200, 86_400].map((seconds) => seconds * SECOND_MS),
};
