import { shellWord } from '../../rules/shell-word.ts';
import type { Row } from './rows/row.ts';

/** The stories of the project, each with the check that proves it. */
export const CHECK_OF: Readonly<Record<string, string>> = { 'US-001': 'checks/sum.js', 'US-002': 'checks/greet.js' };

/** Text of `ralph/tasks.json`. Only US-001 meets with misbehaviour, so that it shows whether the loop goes on. */
export function tasksOf(row: Row): object {
  const play = `This repository was made by \`ralph selftest\` and is thrown away. Play an agent that ${row.does}.`;
  return {
    project: 'shop',
    branchName: 'ralph/shop',
    description: 'A small shop',
    // A single process: the battery runs it some two hundred times.
    verifyCommands: ['node test/cheapest.test.js'],
    userStories: [
      {
        ...story('US-001', 'Add up prices', play),
        acceptanceCriteria: ['src/sum.js exports sum(prices)', 'sum([]) is 0', 'sum([250, 399]) is 649'],
        ...row.story,
      },
      {
        ...story('US-002', 'Greet a customer', 'As a customer I want to be greeted.'),
        acceptanceCriteria: ["greet('Ada') of src/greet.js is 'Hello, Ada!'", "greet('') is 'Hello!'"],
      },
    ],
  };
}

function story(id: string, title: string, description: string): object {
  return {
    id,
    title,
    description,
    priority: Number(id.slice(3)),
    passes: false,
    reviewStatus: null,
    reviewCount: 0,
    reviewFeedback: '',
    notes: '',
    dependsOn: [],
    verifyCommands: [`node ${CHECK_OF[id]}`],
  };
}

/** Text of `ralph.config.json`; a command of the person's gets their environment and knows which row it plays. */
export function settingsOf(row: Row, agent: string | null): object {
  const command = {
    agent: 'command',
    command: { run: `RALPH_SELFTEST=${shellWord(row.name)}; export RALPH_SELFTEST; ${agent}` },
    env: { pass: ['*'] },
  };
  // What the loop itself holds is tried; what an isolation holds, `ralph sandbox status --deep` tries.
  const isolation = { backend: 'none' };
  return { isolation, transient: { retries: 1, delay: '10ms' }, ...row.config, ...(agent === null ? {} : command) };
}
