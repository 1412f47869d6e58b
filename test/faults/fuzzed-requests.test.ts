import { testFuzzedRequests } from '../fuzz/fuzzed-requests.ts';

// Too slow for `npm test`, which sends fewer.
testFuzzedRequests(20_000);
