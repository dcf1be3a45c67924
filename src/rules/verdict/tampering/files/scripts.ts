import type { FileChange, TamperFinding } from '../api.ts';
import { neutralisers, type Purpose, purposesOf, runsNothing } from './check-commands.ts';
import { newMatches, shown } from './finding.ts';
import { type Script, scriptsOf } from './script-files.ts';

/** Names under which projects keep what has to be green. */
const checkName =
  /^(?:pre|post)?(?:tests?|specs?|lint|eslint|typecheck|type-check|types?|tsc|check|checks|ci|verify|validate|qa|coverage|cov|format-check|build|unit|integration|e2e|mypy|commands)(?:$|[:._-])|(?:^|[:._-])(?:tests?|lint|check|typecheck)$/i;

/** Check scripts of `package.json`, `composer.json`, make, just and tox that say yes to everything, or are gone. */
export function neutralisedScripts({ path, before, after }: FileChange): TamperFinding[] {
  if (before === null || after === null) return [];
  const old = scriptsOf(path, before);
  if (old.length === 0) return [];
  const now = scriptsOf(path, after);
  const byName = new Map(now.map((script) => [script.name, script]));
  const changed = old.flatMap((script) => {
    const same = byName.get(script.name);
    if (same === undefined || same.command === script.command) return [];
    return checkName.test(script.name) || purposesOf(script.command).size > 0 ? weakened(path, script, same) : [];
  });
  if (changed.length > 0) return changed;
  const lost = lostPurposes(path, old, withoutDangling(now));
  return lost.length > 0 ? lost : missing(path, old, now);
}

/** Names people and CI call by heart. */
const calledByName = /^(?:pre|post)?(?:test|lint|types|typecheck|type-check|check|ci|verify|qa)$/;

/** A check that can no longer be called by its name, though its tool is still somewhere. */
function missing(path: string, before: readonly Script[], after: readonly Script[]): TamperFinding[] {
  const kept = new Set(after.flatMap(({ name, command }) => [name, command]));
  return before
    .filter(({ name, command }) => calledByName.test(name) && !kept.has(name) && !kept.has(command))
    .filter(({ command }) => !runsNothing.test(command))
    .map(({ name, command, line }) => ({
      kind: 'check-neutralised',
      path,
      line,
      detail: `Script “${name}” is gone; it was ${shown(command)}.`,
      severity: 'low',
    }));
}

/** Calls of scripts that do not exist run nothing. */
function withoutDangling(scripts: readonly Script[]): readonly Script[] {
  const names = new Set(scripts.map(({ name }) => name));
  const call = /\b(?:npm|pnpm|yarn|bun|composer)\s+(?:run(?:-script)?\s+)?(?:-\S+\s+)*([\w:.-]+)/g;
  return scripts.map((script) => ({
    ...script,
    command: script.command.replace(call, (text, name: string) =>
      /\brun\b|^\w+\s+test$/.test(text) && !names.has(name) ? '' : text,
    ),
  }));
}

function weakened(path: string, before: Script, after: Script): TamperFinding[] {
  const finding = (what: string, severity: TamperFinding['severity']): TamperFinding => ({
    kind: 'check-neutralised',
    path,
    line: after.line,
    detail: `Script “${after.name}” ${what}.`,
    severity,
  });
  if (runsNothing.test(after.command) && !runsNothing.test(before.command)) {
    return [finding(`runs nothing now; it was ${shown(before.command)}`, 'high')];
  }
  return neutralisers.flatMap(({ pattern, effect, severity }) => {
    const [match] = newMatches(pattern, before.command, after.command);
    return match === undefined ? [] : [finding(`${effect}: ${shown(match[0])}`, severity)];
  });
}

/** What the file's checks looked at and no script looks at any more. */
function lostPurposes(path: string, before: readonly Script[], after: readonly Script[]): TamperFinding[] {
  const served = new Set<Purpose>(after.flatMap(({ command }) => [...purposesOf(command)]));
  const told = new Set<Purpose>();
  return before.flatMap(({ name, command, line }) =>
    [...purposesOf(command)]
      .filter((purpose) => !served.has(purpose) && !told.has(purpose))
      .map((purpose): TamperFinding => {
        told.add(purpose);
        const detail = `No script runs ${purpose} any more; “${name}” was ${shown(command)}.`;
        const severity = purpose === 'coverage' ? 'low' : 'high';
        return { kind: 'check-neutralised', path, line, detail, severity };
      }),
  );
}
