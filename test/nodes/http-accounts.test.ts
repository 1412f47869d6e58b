import { testOnNodes } from './http-suite.ts';

testOnNodes(['user-operations', 'sessions', 'secured-sessions', 'mass-assignment']);
