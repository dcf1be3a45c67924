import { UsageError } from '../../contracts/errors.ts';
import type { GuardContext } from '../../rules/guard/api.ts';
import { type ExplainedCommand, type Explanation, explainCommand } from '../../rules/guard/judge-command.ts';
import type { Io } from '../../surfaces/terminal/io.ts';
import { type Paint, paintFor } from '../../surfaces/terminal/paint.ts';
import { oneLine } from '../../surfaces/terminal/sanitise.ts';
import { isOn, type RawFlags } from '../shared/flags.ts';
import { printJson, printLines } from '../shared/print.ts';
import { placeHere } from './place.ts';

/** `ralph guard explain`: what the guard understands of a command, and what it says to it. */
export async function explainGuard([command = '']: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  if (command.trim() === '') {
    throw new UsageError({ what: 'there is no command to explain', mend: ["ralph guard explain 'rm -rf build'"] });
  }
  const place = await placeHere(isOn(flags, 'interactive') ? 'interactive' : 'run', flags, io);
  const explanation = explainCommand(command, place);
  if (isOn(flags, 'json')) printJson(io, { command, profile: place.profile, ...explanation });
  else printLines(io, explanationLines(explanation, place, paintFor(io)));
  return 0;
}

function explanationLines(
  { judgement, commands }: Explanation,
  { cwd }: GuardContext,
  paint: Paint,
): readonly string[] {
  const { decision, rule, reason, alternative, evidence, unresolved } = judgement;
  const verdict =
    decision === 'block'
      ? [
          `${paint('bad', 'block')}   ${rule}`,
          `        ${paint('dim', 'why')}      ${reason}`,
          `        ${paint('dim', 'instead')}  ${alternative}`,
          `        ${paint('dim', 'about')}    ${oneLine(evidence)}`,
        ]
      : [paint('good', 'allow')];
  const parsed = commands.length === 0 ? [] : ['', paint('strong', 'Understood as')];
  const open =
    unresolved.length === 0
      ? []
      : ['', paint('strong', 'Not resolved'), ...unresolved.map((text) => `  ${oneLine(text)}`)];
  return [...verdict, ...parsed, ...commands.map((simple) => commandLine(simple, cwd, paint)), ...open];
}

function commandLine({ name, args, via, cwd, known }: ExplainedCommand, here: string, paint: Paint): string {
  const words = [name === '' ? '?' : name, ...args].map((word) =>
    /[\s"'\\]|^$/.test(word) ? JSON.stringify(word) : word,
  );
  const facts = [
    ...(via.length > 0 ? [`behind ${via.join(', ')}`] : []),
    ...(cwd === here ? [] : [cwd === null ? 'in a folder that is not known' : `in ${cwd}`]),
    ...(known ? [] : ['partly unknown']),
  ];
  return `  ${oneLine(words.join(' '))}${facts.length > 0 ? paint('dim', `  (${facts.join('; ')})`) : ''}`;
}
