import { relative } from 'node:path';
import type { Git } from '../../adapters/git/index.ts';
import { UsageError } from '../../contracts/index.ts';
import { type ArmFigures, type Comparison, evidence, type LabArm } from '../../rules/lab/index.ts';
import { shellWord } from '../../rules/text/index.ts';
import type { Io } from '../../surfaces/terminal/index.ts';
import { setConfig } from '../config.ts';
import { given, isOn, type RawFlags, textOf, unknownName } from '../shared/flags.ts';
import { configOf, openProject, workspaceIn } from '../shared/open.ts';
import { printJson, printLines } from '../shared/print.ts';
import { confirm } from '../trust.ts';
import { armLines, readLab } from './report.ts';

/** A setting that differs from the arm's; null: to be removed. */
interface Change {
  readonly key: string;
  readonly value: string | null;
  readonly command: string;
}

/**
 * `ralph lab suggest [ARM]`: the arms on the front, what speaks for the suggested one, and the commands that set it.
 * @returns 0 when there is a suggestion, and with `--apply` it was accepted; else 1
 */
export async function labSuggest([wanted]: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const apply = isOn(flags, 'apply');
  if (apply && isOn(flags, 'json'))
    throw new UsageError({ what: '--apply asks on a terminal and cannot be used together with --json' });
  const git = await openProject(flags, io);
  const { lab } = await readLab(git, io);
  const chosen = chosenArm(lab, wanted);
  const changes = chosen === null ? [] : await changesFor(chosen.arm, git, io);
  const copy = chosen === null ? null : await promptCommand(chosen.arm, git, flags, io);
  const commands = [...changes.map(({ command }) => command), ...(copy === null ? [] : [copy])];
  if (isOn(flags, 'json')) {
    const front = lab.arms.filter((one) => one.front).map((one) => ({ arm: one.arm, evidence: evidence(one, lab) }));
    printJson(io, { arm: chosen?.arm ?? null, why: whyOf(lab, chosen), front, changes, commands });
  } else printLines(io, linesOf(lab, chosen, commands, io));
  if (chosen === null) return 1;
  if (!apply || changes.length === 0) return 0;
  if (!io.isTTY)
    throw new UsageError({ what: '--apply asks on a terminal, but there is none', fix: ['type the commands above'] });
  if (!(await confirm(`Set ${changes.length === 1 ? 'this' : 'these'} in the configuration?`, io))) return 1;
  const place = given({ projectDir: textOf(flags, 'projectDir') });
  for (const { key, value } of changes)
    await setConfig(value === null ? [key] : [key, value], { ...place, unset: value === null }, io);
  return 0;
}

/** @throws UsageError for a name that was not tried */
function chosenArm({ arms, suggestion }: Comparison, wanted: string | undefined): ArmFigures | null {
  const name = wanted ?? suggestion.arm;
  const found = arms.find(({ arm }) => arm.name === name) ?? arms[Number(wanted) - 1];
  if (found !== undefined || wanted === undefined) return found ?? null;
  throw unknownName(
    'arm',
    wanted,
    arms.map(({ arm }) => arm.name),
    ['`ralph lab report` lists them'],
  );
}

function whyOf({ suggestion }: Comparison, chosen: ArmFigures | null): string {
  return chosen === null || chosen.arm.name === suggestion.arm ? suggestion.why : 'you chose it';
}

function linesOf(lab: Comparison, chosen: ArmFigures | null, commands: readonly string[], io: Io): readonly string[] {
  const table = [...armLines(lab, io), ''];
  if (chosen === null) return [...table, `No suggestion: ${lab.suggestion.why}.`];
  const others = lab.arms.filter((one) => one.front && one !== chosen);
  const isRehearsal = chosen.arm.agent === 'scripted';
  return [
    ...table,
    `${chosen.arm.name}: ${whyOf(lab, chosen)}.`,
    ...evidence(chosen, lab).map((line) => `  ${line}`),
    ...(others.length === 0 ? [] : [`Also on the front: ${others.map(({ arm }) => arm.name).join(', ')}.`]),
    '',
    ...(isRehearsal ? ['A scripted agent is a rehearsal: there is nothing to set.'] : []),
    ...(!isRehearsal && commands.length === 0
      ? ['These are already your settings.']
      : commands.map((line) => `  ${line}`)),
  ];
}

/** What an attempt of this arm had set, where it differs from the configuration. */
async function changesFor({ agent, model, review }: LabArm, git: Git, io: Io): Promise<readonly Change[]> {
  if (agent === 'scripted') return [];
  const { config, sources } = await configOf(git, io);
  // Named for particular work, they override `model`; an attempt had none of them.
  const overriding = Object.entries(sources).flatMap(([key, { source }]) =>
    model !== null && key.startsWith('models.') && source !== 'default' ? [key] : [],
  );
  const wanted: readonly (readonly [key: string, value: string | null, isSet: boolean])[] = [
    ['agent', agent, config.agent[0] === agent],
    ['model', model, model === null || config.model === model],
    ['skipReview', String(!review), config.skipReview === !review],
    ...overriding.map((key) => [key, null, false] as const),
  ];
  return wanted.flatMap(([key, value, isSet]) =>
    isSet ? [] : { key, value, command: `ralph config set ${key} ${value === null ? '--unset' : shellWord(value)}` },
  );
}

/** How the prompt of the arm becomes that of the spec folder; null: the built-in one. */
async function promptCommand({ prompt }: LabArm, git: Git, flags: RawFlags, io: Io): Promise<string | null> {
  if (prompt === 'default') return null;
  const workspace = await workspaceIn(git, flags, io).catch(() => null);
  const folder = workspace === null ? 'ralph' : relative(io.cwd, workspace.specDir) || '.';
  return `cp ${shellWord(prompt)} ${shellWord(`${folder}/prompt.md`)}`;
}
