/** The groups in which people look operations up: the tags of the documents, in this order. */
export const GROUPS = {
  pet: 'Pets: the operations of Petstore, and what goes beyond them',
  user: 'Accounts: the operations of Petstore',
  pictures: 'The pictures of pets',
  events: 'What changes: followed as it happens, or sent to others',
  account: 'The account of whoever asks: password, sessions, keys',
  administration: 'The accounts of others, and the audit trail',
  documents: 'What this interface is, for programs',
} as const;

export type Group = keyof typeof GROUPS;
