import { afterEach, expect, test } from 'vitest';
import { makeProject, type Project } from '../support/project.ts';
import { ledgerOf } from '../support/records.ts';

let project: Project | null = null;
afterEach(async () => {
  await project?.remove();
  project = null;
});

const CLAIM = ['---RALPH_STATUS---', 'STATUS: COMPLETE', '---END_RALPH_STATUS---'].join('\n');
const session_id = 'a-session';
const begin = { type: 'system', subtype: 'init', session_id, model: 'a-model' };
const says = { type: 'assistant', message: { content: [{ type: 'text', text: CLAIM }] }, session_id };
const end = { type: 'result', subtype: 'success', is_error: false, result: CLAIM, session_id };
const messages = [begin, says, end].map((line) => JSON.stringify(line)).join('\n');

/** What each of these clients prints after its documentation, and an argument without which it would not. */
test.each([
  ['cursor', messages, '--print'],
  ['amp', messages, '--execute'],
  ['kiro', `\u001b[38;5;141m> \u001b[0mDone.\n${CLAIM}`, '--no-interactive'],
])('a stand-in for %s implements a story, with the prompt on standard input', async (agent, output, argument) => {
  const standIn = [
    '[ "$1" = --version ] && { echo 1.0.0; exit; }',
    `case "$*" in *${argument}*) ;; *) echo "no ${argument}" >&2; exit 2 ;; esac`,
    'grep -q "Greet the world" || exit 3',
    'echo "hello world" > greet.txt; git add -A; git commit -q -m greet',
    'cat "$0.out"',
  ];
  project = await makeProject({
    files: {
      'greet.txt': 'hello\n',
      'agent.sh': standIn.join('\n'),
      'agent.sh.out': `${output}\n`,
      'ralph.config.json': JSON.stringify({ agent, agents: { [agent]: { command: ['sh', 'agent.sh'] } } }),
    },
    verifyCommands: ['grep -q world greet.txt'],
    stories: [{ id: 'US-001', title: 'Greet the world' }],
  });
  const { code, stdout } = await project.ralph(['run', '--skip-review']);
  expect(code, stdout).toBe(0);
  expect(await ledgerOf(project)).toMatchObject([{ mode: 'implement', verdict: 'accepted' }]);
});
