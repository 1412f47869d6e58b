import { openSqliteStoresInMemory } from '../support/sqlite-stores.ts';
import { describeTransactions } from './store-suite.ts';

/* Without files, all readers share the connection of the writer, and changes are noticed in another way. */

describeTransactions('SQLite in memory', openSqliteStoresInMemory);
