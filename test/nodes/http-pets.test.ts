import { testOnNodes } from './http-suite.ts';

testOnNodes(['pet-operations', 'pet-lists', 'pictures']);
