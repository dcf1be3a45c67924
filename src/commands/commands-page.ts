import { type CommandSpec, commands, groups } from './table.ts';

const INTRO = `# Commands

Generated from the command table (\`src/commands/table.ts\`) by \`scripts/docs-commands.ts\`.

Every command has \`--help\` with examples. Unknown commands and flags, and values that a flag does not take, end with
exit code 2 and one line on stderr. Durations are written \`90s\`, \`15m\`, \`1h30m\`; a bare number is seconds. Commands
that change something refuse inside an agent (\`RALPH_RUN_ID\` is set there). Colours appear on a terminal only;
\`NO_COLOR\` and \`FORCE_COLOR\` are honoured. \`RALPH_DEBUG=1\` adds the stack to an error.

\`ralph\` alone shows where things stand and the next sensible command. \`ralph --version\` prints the version.

| exit code | meaning |
| --- | --- |
| 0 | done; of a run: every story is complete |
| 1 | a run ended without completing; or a bug |
| 2 | usage, configuration, an unusable file, or a refusal by git |
| 3 | the circuit breaker is open |
| 4 | another run holds the lock |
| 5 | a budget is spent, or a provider's usage limit ended the run |
| 6 | only blocked stories are left |
| 7 | the agent or its isolation is unavailable |
| 130, 143 | interrupted (Ctrl-C), terminated |
`;

/** `docs/commands.md`. Pure. */
export function commandsPage(): string {
  return `${[INTRO, ...commands.map(section)].join('\n')}`;
}

function section(spec: CommandSpec): string {
  const group = groups.find((one) => spec.name === `${one.name} ${one.default}`);
  const also = [...(spec.alias ? [`ralph ${spec.alias}`] : []), ...(group ? [`ralph ${group.name}`] : [])];
  const args = (spec.args ?? []).map((arg) => ` ${arg.name}`).join('');
  const rows = [
    ...(spec.args ?? []).map((arg) => [arg.name, arg.meaning] as const),
    ...(spec.flags ?? []).filter((flag) => !flag.hidden).map((flag) => [flag.flags, flag.meaning] as const),
  ];
  return [
    `## ralph ${spec.name}`,
    '',
    `\`ralph ${spec.name}${args}\`: ${spec.summary}.${also.length > 0 ? ` Also: ${also.map((name) => `\`${name}\``).join(', ')}.` : ''}`,
    '',
    ...(rows.length === 0
      ? []
      : [
          '| argument or flag | meaning |',
          '| --- | --- |',
          ...rows.map(([name, meaning]) => `| \`${name}\` | ${meaning.replaceAll('<', '&lt;')} |`),
          '',
        ]),
    '```sh',
    ...spec.examples.map(([command, effect]) => `${command}   # ${effect}`),
    '```',
    '',
  ].join('\n');
}
