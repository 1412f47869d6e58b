import { Failure } from '../../../domain/failure.ts';

/* What people write to the shelter about a pet. It is personal data: only staff may see it (decision 56). */

export const ENQUIRY_STATES = ['new', 'answered', 'closed'] as const;

export type EnquiryState = (typeof ENQUIRY_STATES)[number];

/** The languages in which a person gets messages. */
export const ENQUIRY_LANGUAGES = ['en', 'de'] as const;

export type EnquiryLanguage = (typeof ENQUIRY_LANGUAGES)[number];

/** Lengths are in characters. */
export const ENQUIRY_LIMITS = {
  nameLength: 100,
  emailLength: 254,
  phoneLength: 50,
  messageLength: 5000,
  answerLength: 1000,
  /** Notes and answers of staff. */
  entryLength: 10_000,
  entries: 200,
} as const;

/** The answer to a question of the shelter, with the question as it was then. */
export interface GivenAnswer {
  id: string;
  /** In the language of the shelter. */
  question: string;
  /** A text, the value of a choice, or yes or no. */
  answer: string | boolean;
}

export interface EnquiryText {
  name: string;
  email: string;
  phone: string | undefined;
  message: string;
  answers: readonly GivenAnswer[];
  language: EnquiryLanguage;
}

export interface Enquiry extends EnquiryText {
  /** Ascending. */
  id: bigint;
  /** Counts the changes from 1. It is the ETag. */
  version: bigint;
  petId: bigint;
  /** The name at the time of the enquiry: the pet may have been deleted. */
  petName: string;
  state: EnquiryState;
  /** The user name of the account that takes care of it. */
  assignee: string | undefined;
  createdAtMs: number;
  changedAtMs: number;
}

/** A note or an answer of staff. An answer was sent by e-mail. */
export interface EnquiryEntry {
  /** Counts the entries of the enquiry from 1. */
  number: number;
  kind: 'note' | 'answer';
  /** The account, which may have been deleted. */
  authorId: bigint | undefined;
  /** The user name at that time. */
  authorName: string | undefined;
  atMs: number;
  text: string;
}

export interface EnquiryWithEntries extends Enquiry {
  entries: readonly EnquiryEntry[];
}

/** The messages about one enquiry have fixed ids, so that they are found when it is erased. */
export function noticeId(enquiryId: bigint): string {
  return `enquiry-${enquiryId}-notice`;
}

export function acknowledgementId(enquiryId: bigint): string {
  return `enquiry-${enquiryId}-received`;
}

export function answerId(enquiryId: bigint, number: number): string {
  return `enquiry-${enquiryId}-answer-${number}`;
}

export function enquiryNotFound(): Failure {
  return new Failure('not-found', 'Enquiry not found');
}
