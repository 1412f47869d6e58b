/*
 * Runs a command of the service as another user, as a container with this user and these groups does. Requires root.
 * Arguments: user ID, group ID, further groups separated by commas, command.
 */
// Loaded first, because that user may not be allowed to read the checkout.
const { main } = await import('../../src/cli/main.ts');
await import('../../src/cli/doctor.ts');
const [uid, gid, groups, ...args] = process.argv.slice(2);
process.setgroups?.(
  (groups ?? '')
    .split(',')
    .filter((group) => group !== '')
    .map(Number),
);
process.setgid?.(Number(gid));
process.setuid?.(Number(uid));
await main(args, undefined);
