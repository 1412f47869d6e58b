import { accountText, SentRole, sessionText } from '../api/records/account.ts';
import { readUserFilter } from '../api/admin-queries.ts';
import { createCheck } from '../api/check.ts';
import { readNewUser } from '../api/read-bodies.ts';
import { SentUser } from '../api/records/user.ts';
import { DEFAULT_ROLE, ROLES } from '../domain/access.ts';
import type { OperatorDesk } from '../server/operator.ts';
import { runCommand, textFlag, type Call, type Command } from './command.ts';
import { print } from './output.ts';
import { readNewPassword } from './password-input.ts';
import { momentOf, tableOf } from './table.ts';

const checkUser = createCheck(SentUser);
const checkRole = createCheck(SentRole);

const STATUS_NAMES: Readonly<Record<number, string>> = { 1: 'registered', 2: 'active', 3: 'closed' };

/** Read at once, when all are listed. */
const PART = 1000;

/** Does one thing with the account that is named, and says so. */
function onUser(usage: string, help: string, work: (desk: OperatorDesk, username: string) => Promise<string>): Command {
  return {
    usage,
    help,
    argumentCount: 1,
    async run(desk, { args: [username = ''], isJson }) {
      const said = await work(desk, username);
      const account = await desk.administration.getUser(desk.operator, username);
      print(isJson ? `${accountText(account)}\n` : `${said}\n`);
    },
  };
}

const COMMANDS: Readonly<Record<string, Command>> = {
  create: {
    usage: `user create NAME [--role ${ROLES.join('|')}]`,
    help: `Creates an account. Asks for the password, or takes the first line of the input. The role is ${DEFAULT_ROLE} by default.`,
    argumentCount: 1,
    flags: { role: { type: 'string' } },
    isNew: true,
    async run({ administration, operator }, call) {
      const { username } = readNewUser(checkUser({ username: call.args[0] }));
      const { role } = checkRole({ role: textFlag(call, 'role') ?? DEFAULT_ROLE });
      const password = await readNewPassword(username);
      const id = await administration.createUser(operator, { username, role, password });
      const account = { id, user: { id, username, userStatus: 2 }, role };
      print(call.isJson ? `${accountText(account)}\n` : `${username} is there, as ${role}.\n`);
    },
  },

  list: {
    usage: 'user list [--text TEXT] [--role ROLE]',
    help: 'Lists the accounts; --text finds a part of the user name, the names or the e-mail address.',
    argumentCount: 0,
    flags: { text: { type: 'string' }, role: { type: 'string' } },
    run: listUsers,
  },

  role: {
    usage: `user role NAME ${ROLES.join('|')}`,
    help: 'Gives an account another role, from its very next request on.',
    argumentCount: 2,
    async run({ administration, operator }, { args: [username = '', wanted], isJson }) {
      const { role } = checkRole({ role: wanted });
      await administration.setRole(operator, username, role);
      print(
        isJson ? `${accountText(await administration.getUser(operator, username))}\n` : `${username} is now ${role}.\n`,
      );
    },
  },

  password: onUser(
    'user password NAME',
    'Sets another password, ends the sessions of the account, and revokes its API keys.',
    async ({ administration, operator }, username) => {
      await administration.getUser(operator, username);
      await administration.setPassword(operator, username, await readNewPassword(username));
      return `${username} has a new password; all sessions have ended, and all API keys are revoked.`;
    },
  ),

  close: onUser(
    'user close NAME',
    'Closes an account: nobody can log in to it, its sessions end, its keys rest.',
    async ({ administration, operator }, username) => {
      await administration.closeUser(operator, username);
      return `${username} is closed; all sessions have ended.`;
    },
  ),

  reopen: onUser(
    'user reopen NAME',
    'Opens a closed account again.',
    async ({ administration, operator }, username) => {
      await administration.reopenUser(operator, username);
      return `${username} is open again.`;
    },
  ),

  sessions: {
    usage: 'user sessions NAME [--end]',
    help: 'Lists the sessions of an account; --end ends them all.',
    argumentCount: 1,
    flags: { end: { type: 'boolean' } },
    run: listSessions,
  },
};

/** `menagerie user ...`: accounts, for whoever runs the service. */
export async function user(args: readonly string[]): Promise<void> {
  await runCommand('user', COMMANDS, args);
}

async function listUsers({ administration, operator }: OperatorDesk, call: Call): Promise<void> {
  const filter = readUserFilter({ text: textFlag(call, 'text'), role: textFlag(call, 'role') });
  const found: Awaited<ReturnType<typeof administration.searchUsers>>[number][] = [];
  for (let afterId = 0n, isMore = true; isMore;) {
    const part = await administration.searchUsers(operator, filter, { afterId, limit: PART });
    found.push(...part);
    afterId = part.at(-1)?.id ?? afterId;
    isMore = part.length === PART;
  }
  if (call.isJson) return print(`[${found.map(accountText).join()}]\n`);
  print(
    tableOf(
      ['account id', 'user name', 'role', 'status', 'name', 'e-mail'],
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
      ['begun', 'last used', 'ends', 'address', 'program'],
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
