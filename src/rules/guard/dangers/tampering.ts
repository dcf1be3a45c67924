import { AGENT_PROGRAMS } from '../../../contracts/index.ts';
import type { GuardContext, GuardRules, GuardTest, SimpleCommand } from '../api.ts';
import { hasFlag, hasWord, operands, optionValues, textsOf } from '../options.ts';
import { holdsProtected, liesIn } from '../paths.ts';
import { namesIn } from '../tables.ts';
import { movedAway, touched } from './matching/changes.ts';
import { feeders, sourcesOfWords } from './matching/network.ts';
import { chosenProcesses } from './matching/processes.ts';
import { anyOf, forPrograms } from './matching/shape.ts';

/** Whether the command writes, moves, deletes or links a file that only the loop or a person may change. */
const changesProtected: GuardTest = (command, context) =>
  touched(command).some((word) => liesIn(word, ['protected'], command, context)) ||
  movedAway(command).some((word) => holdsProtected(word, command, context));

/** Commands of ralph that only read. */
const LOOKS =
  /^(status|monitor|log|report|validate|guard|verdict|selftest|replay|completion|help|version|questions|doctor|config|demo)$/;
const LOOKS_INTO = /^(list|show|next|status|get|schema|logs|explain|test|run)$/;

/** `ralph …` and `npx @ralph-loop/cli …` that change a run, its state or its rules. */
const changesLoop = forPrograms('ralph ralph.js node bun deno tsx npx pnpx bunx yarn pnpm npm', (command) => {
  const words = textsOf(operands(command));
  const isPackage =
    /^(npx|pnpx|bunx|yarn|pnpm|npm)$/.test(command.name) && words.some((text) => /^@ralph-loop\/cli/.test(text));
  if (command.name !== 'ralph' && !isPackage && !runsRalphFile(command)) return false;
  if (hasFlag(command, 'help', 'version', 'dry-run')) return false;
  const [verb, detail] = words.filter(
    (text) => !/^(exec|dlx|@ralph-loop\/cli.*|(.*\/)?ralph\.js|.*\/main\.(js|ts))$/.test(text),
  );
  if (verb === undefined) return hasFlag(command, 'reset-circuit');
  if (verb === 'config') return detail === 'set';
  if (LOOKS.test(verb)) return false;
  return !(/^(stories|rescue|stream|hooks|sandbox|circuit|fleet)$/.test(verb) && LOOKS_INTO.test(detail ?? 'list'));
});

/** `bin/ralph.js`, and the file it starts in an installed package. */
const RALPH_FILE = /(^|\/)ralph\.js$|(^|\/)@ralph-loop\/cli\/(.*\/)?main\.[jt]s$/;

function runsRalphFile(command: SimpleCommand): boolean {
  if (command.name === 'ralph.js') return true;
  const [file, behind] = operands(command);
  const program = file?.text === 'run' ? behind : file;
  return /^(node|bun|deno|tsx)$/.test(command.name) && RALPH_FILE.test(program?.text ?? '');
}

const AGENTS: readonly string[] = [
  ...Object.values(AGENT_PROGRAMS),
  ...namesIn('aider goose crush claude-code gemini-cli'),
];

const OWN_VARIABLE = /^(RALPH_\w+|CLAUDE_CODE_\w+|CLAUDE_CONFIG_DIR|CLAUDECODE)$/;

/** A value for a single program matters only if that program is an agent or the loop; without one it is unset. */
const changesOwnVariables: GuardTest = (command, _context, script) => {
  const own = command.assignments.filter(({ name }) => OWN_VARIABLE.test(name));
  const assigned = own.length > 0;
  if (own.some(({ value }) => value.text === '')) return true;
  if (/^(unset|export|declare|readonly|typeset)$/.test(command.name)) {
    const listed = command.name === 'unset' ? sourcesOfWords(command, script).flatMap(({ args }) => args) : [];
    if (command.name === 'unset' && /\bRALPH_/.test(command.source)) return true;
    if (listed.some(({ text }) => /\b(RALPH|CLAUDE)_?/.test(text))) return true;
    return assigned || command.args.some(({ text }) => OWN_VARIABLE.test(text.split('=', 1)[0] ?? ''));
  }
  if (command.name === 'env') return optionValues(command, 'u', 'unset').some(({ text }) => OWN_VARIABLE.test(text));
  return assigned && (command.name === '' || command.name === 'ralph' || AGENTS.includes(command.name));
};

const UNLEASHED =
  /^(--dangerously-skip-permissions|--allow-dangerously-skip-permissions|--bare|--yolo|-y|--dangerously-bypass-approvals-and-sandbox|--full-auto|--yes-always|--force|--allow-all-tools|--trust-all-tools|--no-hooks)$|disableAllHooks|bypassPermissions|danger-full-access|"hooks"\s*:\s*(\{\s*\}|null)/;

const startsUnleashedAgent = forPrograms(
  AGENTS,
  (command) => hasWord(command, UNLEASHED) || hasFlag(command, 'setting-sources') || changesAgentSettings(command),
);

function changesAgentSettings(command: SimpleCommand): boolean {
  const [verb, detail] = textsOf(operands(command));
  return (
    (verb === 'config' && detail !== 'list' && detail !== 'get') ||
    (/^(mcp|plugin)$/.test(verb ?? '') && !/^(list|get)$/.test(detail ?? ''))
  );
}

/** `ps -o ppid=`, `/proc/$$/stat`: the id of the process that started this one. */
const PARENT = /^(-o)?ppid=?$|^\/proc\/[^/]+\/stat(us)?$/;

const LOOP_NAME = /\b(ralph|claude|\.ralph-active)\b/i;

/** A signal to the loop, by name or by the process id in its marker. */
const killsLoop = forPrograms('kill pkill killall', (command, context, script) => {
  if (chosenProcesses(command, script).names.some((name) => LOOP_NAME.test(name))) return true;
  if (command.name !== 'kill') return false;
  if (hasWord(command, /^\$?PPID$/) || /\$\{?PPID\b/.test(command.source)) return true;
  return [...sourcesOfWords(command, script), ...feeders(command)].some((source) => mentionsLoop(source, context));
});

function mentionsLoop(command: SimpleCommand, context: GuardContext): boolean {
  const redirected = command.redirects.map(({ target }) => target);
  return [...command.args, ...redirected].some(
    (word) => LOOP_NAME.test(word.text) || PARENT.test(word.text) || liesIn(word, ['protected'], command, context),
  );
}

/** The run's own address and token are for its hooks and tools. */
const callsLoop = forPrograms('curl wget http https xh', ({ source }) => /\$\{?RALPH_CONTROL/.test(source));

export const tampering: GuardRules = {
  'tampering/protected-file': {
    reason: 'Only the loop or its user may change this file.',
    alternative: 'You may read it; use the story tools (complete_story, log_progress, report_blocker) to report.',
    profiles: ['run'],
    matches: changesProtected,
  },
  'tampering/loop': {
    reason: 'Only the user runs the loop, not an agent inside it.',
    alternative: 'Use the story tools: complete_story, report_blocker, request_merge.',
    profiles: ['run'],
    matches: anyOf(changesLoop, callsLoop),
  },
  'tampering/kill': {
    reason: 'This stops the loop that started you, or the agent itself.',
    alternative: 'Stop only processes you started, by their id; to end the iteration, finish or call report_blocker.',
    profiles: ['run'],
    matches: killsLoop,
  },
  'tampering/variables': {
    reason: 'This removes or changes the variables by which the loop and its hooks reach you.',
    alternative: 'Leave RALPH_ and CLAUDE variables as they are.',
    profiles: ['run'],
    matches: changesOwnVariables,
  },
  'tampering/nested-agent': {
    reason: 'This starts an agent without hooks or permissions, which bypasses the guard.',
    alternative: 'Do the work yourself in this session.',
    profiles: ['run'],
    matches: startsUnleashedAgent,
  },
};
