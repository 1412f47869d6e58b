import { Socket } from 'node:net';
import { DatabaseSync, StatementSync } from 'node:sqlite';

/*
 * Imported into separate commands of tests (`--import`): kills the process before a call to a database, counted from 1
 * over statements of SQLite and packets to PostgreSQL.
 */

let left = Number(process.env['TEST_KILL_AT_CALL']);

function killBefore(prototype: object, method: string): void {
  const call = Reflect.get(prototype, method) as (...parameters: unknown[]) => unknown;
  Reflect.set(prototype, method, function (this: unknown, ...parameters: unknown[]) {
    if (--left === 0) process.kill(process.pid, 'SIGKILL');
    return Reflect.apply(call, this, parameters);
  });
}

killBefore(DatabaseSync.prototype, 'exec');
killBefore(StatementSync.prototype, 'run');
killBefore(Socket.prototype, 'write');
