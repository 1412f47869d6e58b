import { accountText, SentRole, sessionText, type Account } from '../api/records/account.ts';
import { readUserFilter } from '../api/queries/admin-queries.ts';
import { createCheck } from '../api/check.ts';
import { readNewUser } from '../api/read-bodies.ts';
import { SentUser } from '../api/records/user.ts';
import { readJson } from '../client/int64-text.ts';
import { DEFAULT_ROLE, ROLES } from '../domain/access.ts';
import type { AccountView } from '../domain/accounts/own-account.ts';
import type { UserFilter } from '../domain/accounts/ports.ts';
import type { OperatorDesk } from '../server/operator.ts';
import { BYTE_ORDER_MARK, csvText } from '../transfer/csv.ts';
import { UserImport } from '../transfer/user-import.ts';
import { USER_COLUMNS, USER_TABLE, userCells } from '../transfer/user-table.ts';
import { runCommand, textFlag, textFlags, type Call, type Command, type CommandGroup } from './terminal/command.ts';
import { print, write } from './terminal/output.ts';
import { readNewPassword } from './terminal/password-input.ts';
import { momentOf, tableOf } from './terminal/table.ts';
import { readColumnMap, runImport } from './transfer/run-import.ts';
import { openSource, readFormat } from './transfer/source-file.ts';

const checkUser = createCheck(SentUser);
const checkRole = createCheck(SentRole);

const STATUS_NAMES: Readonly<Record<number, string>> = { 1: 'registered', 2: 'active', 3: 'closed' };

const BATCH_SIZE = 1000;

/** A command that changes one user, and prints the message that `work` returns. */
function onUser(usage: string, help: string, work: (desk: OperatorDesk, username: string) => Promise<string>): Command {
  return {
    usage,
    help,
    argumentCount: 1,
    async run(desk, { args: [username = ''], isJson }) {
      const message = await work(desk, username);
      const account = await desk.administration.getUser(desk.operator, username);
      print(isJson ? `${accountText(account)}\n` : `${message}\n`);
    },
  };
}

const USER_COMMANDS: Readonly<Record<string, Command>> = {
  create: {
    usage: 'user create USERNAME [--role ROLE]',
    help: 'Create a user. Prompts for the password, or reads it from the first line of standard input.',
    argumentCount: 1,
    flags: { role: { type: 'string', value: 'ROLE', help: `${ROLES.join(', ')} (default ${DEFAULT_ROLE})` } },
    isNew: true,
    async run({ administration, operator }, call) {
      const { username } = readNewUser(checkUser({ username: call.args[0] }));
      const { role } = checkRole({ role: textFlag(call, 'role') ?? DEFAULT_ROLE });
      const password = await readNewPassword(username);
      const id = await administration.createUser(operator, { username, role, password });
      const account = { id, user: { id, username, userStatus: 2 }, role, isInvited: false };
      print(call.isJson ? `${accountText(account)}\n` : `Created user ${username} with role ${role}.\n`);
    },
  },

  list: {
    usage: 'user list [--text TEXT] [--role ROLE]',
    help: 'List users.',
    argumentCount: 0,
    flags: {
      text: {
        type: 'string',
        value: 'TEXT',
        help: 'text in the username, the first or last name, or the email address',
      },
      role: { type: 'string', value: 'ROLE', help: ROLES.join(', ') },
    },
    run: listUsers,
  },

  role: {
    usage: `user role USERNAME ${ROLES.join('|')}`,
    help: 'Set the role of a user. It applies from the next request on.',
    argumentCount: 2,
    async run({ administration, operator }, { args: [username = '', wanted], isJson }) {
      const { role } = checkRole({ role: wanted });
      await administration.setRole(operator, username, role);
      print(
        isJson
          ? `${accountText(await administration.getUser(operator, username))}\n`
          : `Set the role of ${username} to ${role}.\n`,
      );
    },
  },

  password: onUser(
    'user password USERNAME',
    'Set the password of a user, end all sessions and revoke all API keys. Reads the password as "user create" does.',
    async ({ administration, operator }, username) => {
      await administration.getUser(operator, username);
      await administration.setPassword(operator, username, await readNewPassword(username));
      return `Set the password of ${username}. All sessions were ended, and all API keys revoked.`;
    },
  ),

  close: onUser(
    'user close USERNAME',
    'Close an account: logging in is refused, all sessions end, and API keys are disabled until it is reopened.',
    async ({ administration, operator }, username) => {
      await administration.closeUser(operator, username);
      return `Closed the account of ${username}. All sessions were ended.`;
    },
  ),

  reopen: onUser('user reopen USERNAME', 'Reopen a closed account.', async ({ administration, operator }, username) => {
    await administration.reopenUser(operator, username);
    return `Reopened the account of ${username}.`;
  }),

  'reset-factors': {
    usage: 'user reset-factors USERNAME',
    help: 'Delete the passkeys, one-time codes and recovery codes of a user who has lost them, and end all sessions.',
    argumentCount: 1,
    async run({ factorAdministration, operator }, { args: [username = ''], isJson }) {
      const deleted = await factorAdministration.reset(operator, username);
      if (isJson) return print(`${JSON.stringify({ username, deleted })}\n`);
      print(
        deleted === 0
          ? `${username} has no second factor.\n`
          : `Reset the second factors of ${username}. All sessions were ended.\n`,
      );
    },
  },

  export: {
    usage: 'user export [--format FORMAT]',
    help: 'Write all users to standard output, without passwords, sessions and API keys.',
    argumentCount: 0,
    flags: { format: { type: 'string', value: 'FORMAT', help: 'ndjson (default) or csv' } },
    run: exportUsers,
  },

  import: {
    usage: "user import FILE [--format FORMAT] [--map 'NAME=COLUMN'] [--dry-run] [--result FILE]",
    help: 'Create the users in FILE, or change those that exist, by username. Roles and passwords are only set for new users.',
    argumentCount: 1,
    flags: {
      format: { type: 'string', value: 'FORMAT', help: 'csv or ndjson; by default that of the content' },
      map: {
        type: 'string',
        multiple: true,
        value: "'NAME=COLUMN'",
        help: 'read the column NAME of the file as COLUMN, or ignore it without COLUMN; may be repeated',
      },
      'dry-run': { type: 'boolean', help: 'check the file, and show what would be done' },
      result: { type: 'string', value: 'FILE', help: 'record the outcome and error of each row, as .csv or .ndjson' },
    },
    run: importUsers,
  },

  sessions: {
    usage: 'user sessions USERNAME [--end]',
    help: 'List the sessions of a user.',
    argumentCount: 1,
    flags: { end: { type: 'boolean', help: 'end all of them' } },
    run: listSessions,
  },
};

const USER: CommandGroup = {
  name: 'user',
  help: 'Create and manage users. Works on the database itself, whether or not the service is running.',
  commands: USER_COMMANDS,
  examples: [
    'menagerie user create root --role admin',
    'menagerie user create edna --role editor < password-file',
    'menagerie user list --text example.org',
    'menagerie user reset-factors edna',
    'menagerie user export --format csv > users.csv',
    'menagerie user import users.csv --dry-run',
    'menagerie user import users.csv --map Login=username --map Vorname=firstName',
  ],
};

export async function user(args: readonly string[]): Promise<void> {
  await runCommand(USER, args);
}

async function* usersIn({ administration, operator }: OperatorDesk, filter: UserFilter): AsyncGenerator<AccountView> {
  for (let afterId = 0n, isMore = true; isMore;) {
    const batch = await administration.searchUsers(operator, filter, { afterId, limit: BATCH_SIZE });
    yield* batch;
    afterId = batch.at(-1)?.id ?? afterId;
    isMore = batch.length === BATCH_SIZE;
  }
}

async function exportUsers(desk: OperatorDesk, call: Call): Promise<void> {
  const isCsv = readFormat(textFlag(call, 'format')) === 'csv';
  if (isCsv) await write(BYTE_ORDER_MARK + csvText([USER_COLUMNS]));
  for await (const view of usersIn(desk, {})) {
    const text = accountText(view);
    await write(isCsv ? csvText([userCells(readJson(text) as Account)]) : `${text}\n`);
  }
}

async function importUsers({ administration, operator }: OperatorDesk, call: Call): Promise<void> {
  const [file = ''] = call.args;
  const map = readColumnMap(textFlags(call, 'map'), USER_TABLE);
  const source = await openSource(file, textFlag(call, 'format'));
  try {
    await runImport({
      source,
      table: USER_TABLE,
      map,
      records: 'users',
      work: new UserImport({
        checks: { user: checkUser, role: checkRole },
        store: (user, isDryRun) => administration.importUser(operator, user, isDryRun),
      }),
      isDryRun: call.flags['dry-run'] === true,
      resultPath: textFlag(call, 'result'),
    });
  } finally {
    await source.close();
  }
}

async function listUsers(desk: OperatorDesk, call: Call): Promise<void> {
  const filter = readUserFilter({ text: textFlag(call, 'text'), role: textFlag(call, 'role') });
  const found = await Array.fromAsync(usersIn(desk, filter));
  if (call.isJson) return print(`[${found.map(accountText).join()}]\n`);
  print(
    tableOf(
      ['account id', 'username', 'role', 'status', 'name', 'email'],
      found.map(({ id, user: { username, userStatus = 0, firstName = '', lastName = '', email = '' }, role }) => [
        id.toString(),
        username,
        role,
        STATUS_NAMES[userStatus] ?? String(userStatus),
        `${firstName} ${lastName}`.trim(),
        email,
      ]),
    ),
  );
}

async function listSessions({ administration, operator }: OperatorDesk, { args, flags, isJson }: Call): Promise<void> {
  const [username = ''] = args;
  if (flags['end'] === true) await administration.endSessions(operator, username);
  const sessions = await administration.listSessions(operator, username);
  if (isJson) return print(`[${sessions.map(sessionText).join()}]\n`);
  if (sessions.length === 0) return print(`${username} has no sessions.\n`);
  print(
    tableOf(
      ['created', 'last used', 'expires', 'address', 'user agent'],
      sessions.map(({ startedAtMs, lastUsedAtMs, endsAtMs, client }) => [
        momentOf(startedAtMs),
        momentOf(lastUsedAtMs),
        momentOf(endsAtMs),
        client.address,
        client.userAgent ?? '-',
      ]),
    ),
  );
}
