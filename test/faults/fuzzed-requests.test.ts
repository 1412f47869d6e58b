import { testFuzzedRequests } from '../fuzz/fuzzed-requests.ts';

// Slow, and so not part of `npm test`, where fewer are sent.
testFuzzedRequests(20_000);
