/** The groups of operations: the tags of the documents, in this order. */
export const GROUPS = {
  pet: 'Pets: the operations of Petstore, search, history and bulk changes',
  user: 'Users: the operations of Petstore',
  photos: 'Photos of pets',
  events: 'Event streams and webhooks',
  account: 'The account of the current user: password, sessions and API keys',
  administration: 'Administration of users, the audit log and backups',
  documents: 'Descriptions of this API for programs',
} as const;

export type Group = keyof typeof GROUPS;
