import { argText, EXIT_CODES, otherNames } from '../../src/commands/help.ts';
import { type CommandSpec, commands, groups } from '../../src/commands/table.ts';

const INTRO = `# Commands

Generated from the command table (\`src/commands/table.ts\`) by \`scripts/docs-commands.ts\`.

Every command has \`--help\` with examples. Unknown commands and flags, and values that a flag does not take, end with
exit code 2 and one line on stderr. Durations are written \`90s\`, \`15m\`, \`1h30m\`; a bare number is seconds. Commands
that change something refuse inside an agent (\`RALPH_RUN_ID\` is set there). Colours appear on a terminal only;
\`NO_COLOR\` and \`FORCE_COLOR\` are honoured. \`RALPH_DEBUG=1\` adds the stack to an error.

\`ralph\` alone shows where things stand and the next sensible command. \`ralph --version\` prints the version.

| exit code | meaning |
| --- | --- |
${EXIT_CODES.map(([code, meaning]) => `| ${code} | ${meaning} |`).join('\n')}
`;

/** `docs/commands.md`. Pure. */
export function commandsPage(): string {
  return `${[INTRO, ...commands.map(section)].join('\n')}`;
}

function section(spec: CommandSpec): string {
  const also = otherNames(spec, { commands, groups }).map((name) => `\`ralph ${name}\``);
  const rows = [
    ...(spec.args ?? []).map((arg) => [arg.name, arg.meaning] as const),
    ...(spec.flags ?? []).filter((flag) => !flag.hidden).map((flag) => [flag.flags, flag.meaning] as const),
  ];
  return [
    `## ralph ${spec.name}`,
    '',
    `\`ralph ${spec.name}${argText(spec)}\`: ${spec.summary}.${also.length > 0 ? ` Also: ${also.join(', ')}.` : ''}`,
    '',
    ...(spec.description ?? []).flatMap((text) => [text, '']),
    ...table('argument or flag', rows),
    ...table('exit code', spec.exits ?? []),
    '```sh',
    ...spec.examples.map(([command, effect]) => `${command}   # ${effect}`),
    '```',
    '',
  ].join('\n');
}

function table(title: string, rows: readonly (readonly [term: string, meaning: string])[]): readonly string[] {
  if (rows.length === 0) return [];
  return [
    `| ${title} | meaning |`,
    '| --- | --- |',
    ...rows.map(([term, meaning]) => `| \`${term}\` | ${meaning.replaceAll('<', '&lt;')} |`),
    '',
  ];
}
