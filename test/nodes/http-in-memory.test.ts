import { testInMemory } from './http-suite.ts';

testInMemory(['pet-operations', 'pet-lists', 'user-operations']);
