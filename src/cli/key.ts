import ms, { type StringValue } from 'ms';
import { createdKeyText, keyText, SentKey } from '../api/records/account.ts';
import { createCheck } from '../api/check.ts';
import { mayUseScope } from '../domain/access.ts';
import type { OperatorDesk } from '../server/operator.ts';
import { runCommand, textFlag, type Call, type Command } from './command.ts';
import { print, UsageError } from './output.ts';
import { momentOf, tableOf } from './table.ts';

const checkKey = createCheck(SentKey);

const DEFAULT_LIFETIME = '90d';
const LEAST_LIFETIME_MS = ms('1m');
const MOST_LIFETIME_MS = ms('3650d');

const COMMANDS: Readonly<Record<string, Command>> = {
  create: {
    usage: 'key create NAME --scope read:pets|write:pets ... [--expires 90d] [--name LABEL]',
    help: 'Makes an API key for the account NAME, and prints it this once.',
    argumentCount: 1,
    flags: { scope: { type: 'string', multiple: true }, expires: { type: 'string' }, name: { type: 'string' } },
    run: createKey,
  },

  list: {
    usage: 'key list NAME',
    help: 'Lists the keys of an account, not the secrets: nobody has those but who was shown them.',
    argumentCount: 1,
    async run({ administration, operator }, { args: [username = ''], isJson }) {
      const keys = await administration.listKeys(operator, username);
      if (isJson) return print(`[${keys.map(keyText).join()}]\n`);
      if (keys.length === 0) return print(`${username} has no keys.\n`);
      print(
        tableOf(
          ['id', 'name', 'scopes', 'created', 'expires', 'last used'],
          keys.map(({ id, name, scopes, createdAtMs, expiresAtMs, lastUsedAtMs }) => [
            id,
            name,
            scopes.join(' '),
            momentOf(createdAtMs),
            momentOf(expiresAtMs),
            momentOf(lastUsedAtMs),
          ]),
        ),
      );
    },
  },

  revoke: {
    usage: 'key revoke ID',
    help: 'Ends a key at once. The id is what "key list" shows.',
    argumentCount: 1,
    async run({ administration, operator }, { args: [id = ''], isJson }) {
      await administration.revokeKey(operator, id);
      print(isJson ? `${JSON.stringify({ id, revoked: true })}\n` : `The key ${id} is revoked.\n`);
    },
  },
};

/** `menagerie key ...`: API keys, for whoever runs the service. */
export async function key(args: readonly string[]): Promise<void> {
  await runCommand('key', COMMANDS, args);
}

async function createKey({ administration, operator }: OperatorDesk, call: Call): Promise<void> {
  const [username = ''] = call.args;
  const wanted = [call.flags['scope'] ?? []].flat().flatMap((value) => String(value).split(','));
  const { name, scopes } = checkKey({ name: textFlag(call, 'name') ?? 'command line', scopes: wanted });
  const lifetimeMs = lifetimeOf(textFlag(call, 'expires') ?? DEFAULT_LIFETIME);
  const { role } = await administration.getUser(operator, username);
  const created = await administration.createKey(operator, username, { name, scopes, lifetimeMs });
  print(call.isJson ? `${createdKeyText(created)}\n` : `${created.key}\n`);
  if (!call.isJson)
    process.stderr.write(
      `Keep it now: it is not shown again. It is ${username}'s, for ${scopes.join(' and ')}, until ${momentOf(created.expiresAtMs)}.\n`,
    );
  if (!scopes.every((scope) => mayUseScope(role, scope)))
    process.stderr.write(
      `The role of ${username}, ${role}, does not allow changes of pets: the key can only read for now.\n`,
    );
}

/** `90d`, `12h`, `1y`. @throws UsageError */
function lifetimeOf(text: string): number {
  const lifetimeMs = /[a-z]/i.test(text) ? Math.round(ms(text as StringValue)) : Number.NaN;
  if (lifetimeMs >= LEAST_LIFETIME_MS && lifetimeMs <= MOST_LIFETIME_MS) return lifetimeMs;
  throw new UsageError('--expires must be a time such as 90d, 12h or 1y: a minute at least, 3650 days at most.');
}
