import { testFuzzedRequests } from './fuzzed-requests.ts';

testFuzzedRequests(3000);
