import ms, { type StringValue } from 'ms';
import { createdKeyText, keyText, SentKey } from '../api/records/account.ts';
import { createCheck } from '../api/check.ts';
import { mayUseScope } from '../domain/access.ts';
import type { OperatorDesk } from '../server/operator.ts';
import { runCommand, textFlag, type Call, type CommandGroup } from './terminal/command.ts';
import { print, UsageError } from './terminal/output.ts';
import { momentOf, tableOf } from './terminal/table.ts';

const checkKey = createCheck(SentKey);

const DEFAULT_LABEL = 'command line';
const DEFAULT_LIFETIME = '90d';
const MIN_LIFETIME_MS = ms('1m');
const MAX_LIFETIME_MS = ms('3650d');

const KEY: CommandGroup = {
  name: 'key',
  help: 'Create, list and revoke API keys. Works on the database itself, whether or not the service is running.',
  commands: {
    create: {
      usage: 'key create USERNAME --scope SCOPE [--expires DURATION] [--name LABEL]',
      help: 'Create an API key of a user and print it. It is not shown again.',
      argumentCount: 1,
      flags: {
        scope: {
          type: 'string',
          multiple: true,
          value: 'SCOPE',
          help: 'read:pets, write:pets or read:metrics; can be repeated',
        },
        expires: {
          type: 'string',
          value: 'DURATION',
          help: `lifetime, such as 12h, 90d or 1y (default ${DEFAULT_LIFETIME})`,
        },
        name: {
          type: 'string',
          value: 'LABEL',
          help: `label that says what the key is for (default "${DEFAULT_LABEL}")`,
        },
      },
      run: createKey,
    },

    list: {
      usage: 'key list USERNAME',
      help: 'List the API keys of a user, without their secrets.',
      argumentCount: 1,
      async run({ administration, operator }, { args: [username = ''], isJson }) {
        const keys = await administration.listKeys(operator, username);
        if (isJson) return print(`[${keys.map(keyText).join()}]\n`);
        if (keys.length === 0) return print(`${username} has no API keys.\n`);
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
      help: 'Revoke an API key immediately. "key list" shows the IDs.',
      argumentCount: 1,
      async run({ administration, operator }, { args: [id = ''], isJson }) {
        await administration.revokeKey(operator, id);
        print(isJson ? `${JSON.stringify({ id, revoked: true })}\n` : `Revoked API key ${id}.\n`);
      },
    },
  },
  examples: [
    'menagerie key create edna --scope write:pets --expires 30d --name "nightly import"',
    'menagerie key list edna',
  ],
};

export async function key(args: readonly string[]): Promise<void> {
  await runCommand(KEY, args);
}

async function createKey({ administration, operator }: OperatorDesk, call: Call): Promise<void> {
  const [username = ''] = call.args;
  const wanted = [call.flags['scope'] ?? []].flat().flatMap((value) => String(value).split(','));
  const { name, scopes } = checkKey({ name: textFlag(call, 'name') ?? DEFAULT_LABEL, scopes: wanted });
  const lifetimeMs = lifetimeOf(textFlag(call, 'expires') ?? DEFAULT_LIFETIME);
  const { role } = await administration.getUser(operator, username);
  const created = await administration.createKey(operator, username, { name, scopes, lifetimeMs });
  print(call.isJson ? `${createdKeyText(created)}\n` : `${created.key}\n`);
  if (!call.isJson)
    process.stderr.write(
      `Save the key now: it is not shown again. User ${username}, scopes ${scopes.join(' and ')}, expires ${momentOf(created.expiresAtMs)} UTC.\n`,
    );
  if (!scopes.every((scope) => mayUseScope(role, scope)))
    process.stderr.write(
      `Warning: the role of ${username}, ${role}, does not allow changes to pets. Until the role changes, the key can only read.\n`,
    );
}

/** @throws UsageError */
function lifetimeOf(text: string): number {
  const lifetimeMs = /[a-z]/i.test(text) ? Math.round(ms(text as StringValue)) : Number.NaN;
  if (lifetimeMs >= MIN_LIFETIME_MS && lifetimeMs <= MAX_LIFETIME_MS) return lifetimeMs;
  throw new UsageError('--expires must be a duration such as 12h, 90d or 1y, from 1 minute to 3650 days.');
}
