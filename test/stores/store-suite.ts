import { describe } from 'node:test';
import { describeAdministrators } from './administrator-suite.ts';
import { describeAuditStore } from './audit-store-suite.ts';
import { describeAuditedChanges } from './audited-changes-suite.ts';
import { describeCertificates } from './certificate-suite.ts';
import { describeChangeFeed } from './change-feed-suite.ts';
import { describeEnquiries } from './enquiry-suite.ts';
import { describeFactorStore } from './factor-store-suite.ts';
import { describeGathering } from './gathering-suite.ts';
import { describeIdempotencyStore } from './idempotency-suite.ts';
import { describeKeyStore } from './key-store-suite.ts';
import { describeLimitStore } from './limit-store-suite.ts';
import { describeListings } from './listing-suite.ts';
import { describeSavedSearches } from './saved-search-suite.ts';
import { describeMail } from './mail-suite.ts';
import type { OpenStores } from './open-stores.ts';
import { describePetCounts } from './pet-count-suite.ts';
import { describePetEdits } from './pet-edit-suite.ts';
import { describePetHistory } from './pet-history-suite.ts';
import { describePetSearch } from './pet-search-suite.ts';
import { describeSearchIndex } from './search-index-suite.ts';
import { describePetIds, describePetStore } from './pet-store-suite.ts';
import { describeOAuthStores } from './oauth-suite.ts';
import { describePhotoIndex } from './photo-index-suite.ts';
import { describeProfiles } from './profile-suite.ts';
import { describePhotosOfPets } from './photos-of-pets-suite.ts';
import { describeDeletedPets } from './deleted-pets-suite.ts';
import { describeSessionStore } from './session-store-suite.ts';
import { describeSiteRecords } from './site-record-suite.ts';
import { describeUserIds } from './user-id-suite.ts';
import { describeUserSearch } from './user-search-suite.ts';
import { describeAuthorization } from './credential-suite.ts';
import { describeProviderStore } from './provider-store-suite.ts';
import { describeQuotas } from './quota-suite.ts';
import { describeWebhookStore } from './webhook-store-suite.ts';
import { describeUserStore } from './user-store-suite.ts';

/**
 * The suites that depend on how an engine isolates transactions and batches statements, for variants of an engine that
 * runs all suites.
 */
export function describeTransactions(engine: string, openStores: OpenStores): void {
  void describe(`transactions on ${engine}`, () => {
    describePetStore(openStores);
    describePetIds(openStores);
    describePetEdits(openStores);
    describeProfiles(openStores);
    describeUserStore(openStores);
    describeUserIds(openStores);
    describeAdministrators(openStores);
    describeAuthorization(openStores);
    describePhotosOfPets(openStores);
    describeGathering(openStores);
    describeIdempotencyStore(openStores);
  });
}

/** The contracts of the ports of src/domain/, tested through the ports only, on any engine. */
export function describeStores(engine: string, openStores: OpenStores): void {
  void describe(`stores on ${engine}`, () => {
    describePetStore(openStores);
    describePetIds(openStores);
    describePetEdits(openStores);
    describeProfiles(openStores);
    describePetHistory(openStores);
    describeDeletedPets(openStores);
    describePetSearch(openStores);
    describeSearchIndex(openStores);
    describePetCounts(openStores);
    describeUserStore(openStores);
    describeUserIds(openStores);
    describeAdministrators(openStores);
    describeUserSearch(openStores);
    describeSessionStore(openStores);
    describeKeyStore(openStores);
    describeFactorStore(openStores);
    describeOAuthStores(openStores);
    describeCertificates(openStores);
    describeLimitStore(openStores);
    describeAuditStore(openStores);
    describeAuditedChanges(openStores);
    describePhotoIndex(openStores);
    describePhotosOfPets(openStores);
    describeAuthorization(openStores);
    describeChangeFeed(openStores);
    describeListings(openStores);
    describeEnquiries(openStores);
    describeQuotas(openStores);
    describeSavedSearches(openStores);
    describeProviderStore(openStores);
    describeWebhookStore(openStores);
    describeMail(openStores);
    describeSiteRecords(openStores);
    describeGathering(openStores);
    describeIdempotencyStore(openStores);
  });
}
