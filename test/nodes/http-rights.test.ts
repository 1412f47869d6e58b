import { testOnNodes } from './http-suite.ts';

testOnNodes(['administration', 'request-limit', 'two-servers']);
