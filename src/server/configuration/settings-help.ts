import { SETTINGS, type Setting } from './settings.ts';

/** The flags as `--help` shows them. */
export function settingsHelp(): string {
  return SETTINGS.map((setting: Setting) => {
    const flag = `--${setting.name}${setting.value === undefined ? '' : ` ${setting.value}`}`;
    const byDefault = setting.default === '' || setting.value === undefined ? '' : ` (default ${setting.default})`;
    return `  ${flag.padEnd(40)}${setting.help}${byDefault}`;
  }).join('\n');
}

/** The page of docs/ with all settings. */
export function settingsPage(): string {
  const rows = SETTINGS.map((setting: Setting) => {
    const flag = `--${setting.name}${setting.value === undefined ? '' : ` ${setting.value}`}`;
    return [`\`${flag}\``, setting.value === undefined ? '' : setting.default, setting.help];
  });
  const table = [['flag', 'default', 'meaning'], ...rows];
  const widths = [0, 1, 2].map((column) => Math.max(...table.map((row) => (row[column] ?? '').length)));
  const lineOf = (cells: readonly string[], fill: string) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0, fill)).join(' | ')} |`;
  const [head = [], ...body] = table;
  return `# Settings

Generated from the settings of the service by \`npm run documents\`.

A setting is looked for in this order; \`menagerie config\` prints the values in effect and where each is from, without
secrets:

1. the flag of \`menagerie serve\`: \`--data-dir /srv/pets\` (\`npm start -- --data-dir /srv/pets\`); the last one if it is
   repeated
2. the environment variable: \`MENAGERIE_DATA_DIR=/srv/pets\`
3. a file with the value, for secrets: \`MENAGERIE_DATABASE_URL_FILE=/run/secrets/database-url\`
4. the systemd credential \`menagerie.database-url\`
5. the config file: \`--config FILE\`, \`MENAGERIE_CONFIG\`, or \`menagerie.toml\` in the data folder, if it exists
6. the default

The config file is TOML, with the names of the flags. Unknown keys and invalid values are errors. Relative paths begin
at the working directory, as in flags.

\`\`\`toml
access = "secured"
port = 9000
no-sign-up = true
cors-origins = ["https://pets.example.org"]
\`\`\`

${[lineOf(head, ' '), lineOf(['', '', ''], '-'), ...body.map((row) => lineOf(row, ' '))].join('\n')}
`;
}
