import { fieldsOf, jsonObject } from '../../../contracts/index.ts';
import { recognise } from '../recognise/recognise.ts';
import { type Checked, checksIn } from '../recognise/tools.ts';
import {
  type FileChange,
  type Finding,
  linesOf,
  newMatches,
  type Severity,
  shown,
  withoutCommentLines,
} from './change.ts';
import { ciFiles, HIDES_FAILURE, SKIPS_HOOKS } from './settings.ts';

/** Names that projects use for checks that must be green. */
const checkName =
  /^(?:pre|post)?(?:tests?|specs?|lint|eslint|typecheck|type-check|types?|tsc|check|checks|ci|verify|validate|qa|coverage|cov|format-check|build|unit|integration|e2e|mypy|commands)(?:$|[:._-])|(?:^|[:._-])(?:tests?|lint|check|typecheck)$/i;

/** Check scripts of `package.json`, `composer.json`, make, just, tox and shell that always succeed now, or are gone. */
export function neutralisedScripts({ path, before, after }: FileChange): Finding[] {
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
  // Elsewhere, `npm test` calls a script of another file.
  const lost = lostPurposes(path, old, /\.jsonc?$/.test(path) ? withoutDangling(now) : now);
  return lost.length > 0 ? lost : missing(path, old, now);
}

/** Names that people and CI call directly. */
const calledByName = /^(?:pre|post)?(?:test|lint|types|typecheck|type-check|check|ci|verify|qa)$/;

/** A check that can no longer be called by its name, although its tool is still called somewhere. */
function missing(path: string, before: readonly Script[], after: readonly Script[]): Finding[] {
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

/** Drops calls of scripts that do not exist: they run nothing. */
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

function weakened(path: string, before: Script, after: Script): Finding[] {
  const finding = (what: string, severity: Severity): Finding => ({
    kind: 'check-neutralised',
    path,
    line: after.line,
    detail: `Script “${after.name}” ${what}.`,
    severity,
  });
  if (runsNothing.test(after.command) && !runsNothing.test(before.command)) {
    return [finding(`runs nothing now; it was ${shown(before.command)}`, 'high')];
  }
  return neutralisers.flatMap(([effect, severity, pattern]) => {
    const [match] = newMatches(pattern, before.command, after.command);
    return match === undefined ? [] : [finding(`${effect}: ${shown(match[0])}`, severity)];
  });
}

/** What the file's checks covered and no script covers any more. */
function lostPurposes(path: string, before: readonly Script[], after: readonly Script[]): Finding[] {
  const served = new Set<Purpose>(after.flatMap(({ command }) => [...purposesOf(command)]));
  const told = new Set<Purpose>();
  return before.flatMap(({ name, command, line }) =>
    [...purposesOf(command)]
      .filter((purpose) => !served.has(purpose) && !told.has(purpose))
      .map((purpose): Finding => {
        told.add(purpose);
        const detail = `No script runs ${purpose} any longer; “${name}” was ${shown(command)}.`;
        const severity = purpose === 'coverage' ? 'low' : 'high';
        return { kind: 'check-neutralised', path, line, detail, severity };
      }),
  );
}

/** What a command line checks in a project. */
type Purpose = 'tests' | Checked;

/** What the commands of a text are for, line by line; in a build file, the text after a key counts too. */
function purposesOf(text: string): ReadonlySet<Purpose> {
  const purposes = new Set<Purpose>();
  for (const line of text.split('\n')) {
    const command = line.replace(/^[\s@-]*(?:\w+:\s+)?/, '');
    for (const purpose of checksIn(command)) purposes.add(purpose);
    if (recognise(command).steps.some(({ certainty }) => certainty === 'test')) purposes.add('tests');
  }
  return purposes;
}

/** What makes a check's command always succeed, or check less. Over one command line. */
const neutralisers: readonly (readonly [effect: string, severity: Severity, pattern: RegExp])[] = [
  ['hides its failure', 'high', HIDES_FAILURE],
  ['ends before it fails', 'high', /(?:^|&&|;)\s*exit\s+0\b/gm],
  ['takes the exit code of a filter', 'low', /\|\s*(?:cat|tee|head|tail|grep)\b(?!.*pipefail)/g],
  ['never fails', 'high', /--exit-zero\b|--force-exit-zero\b|--no-fail\b|--no-error\b|--soft-fail\b/g],
  ['skips hooks', 'high', SKIPS_HOOKS],
  ['skips the tests', 'high', /-DskipTests\b|-Dmaven\.test\.\w+(?:\.\w+)?=true|\s-x\s+test\b|-Dmaven\.test\.skip\b/g],
  [
    'leaves tests out',
    'high',
    /(?:\s-k\s+|-k=)['"]?not\b|--deselect\b|\s-skip[= ]|--ignore(?:-glob)?=|--testPathIgnorePatterns\b|--exclude-tags?\b|--invert\b/g,
  ],
  [
    'rewrites snapshots instead of comparing them',
    'high',
    /\b(?:jest|vitest)\b[^&|;]*\s(?:-u|--update|--updateSnapshot)\b/g,
  ],
  ['passes without tests', 'low', /--pass-?[wW]ith-?[nN]o-?[tT]ests\b|--allow-?[nN]o-?[tT]ests\b/g],
  [
    'checks less',
    'low',
    /--(?:exclude|skip|ignore-pattern|testNamePattern|grep|filter)[= ]|--no-cov\b|--no-coverage\b/g,
  ],
];

/** A command that runs nothing. */
const runsNothing =
  /^\s*@?-?(?:echo\b[^&|;`$\n]*|printf\b[^&|;`$\n]*|true|:|exit\s+0|cd\s+\.)?\s*(?:(?:&&|;|\n)?\s*exit\s+0)?\s*$/;

interface Script {
  readonly name: string;
  readonly command: string;
  readonly line: number;
}

/** The script syntax of each kind of file. */
const readers: readonly (readonly [file: RegExp, read: (text: string, path: string) => readonly Script[]])[] = [
  [/\.(?:ba|z)?sh$/, shellScript],
  [/(?:^|\/)(?:package|composer|deno)\.jsonc?$/, jsonScripts],
  [
    /(?:^|\/)(?:GNUm|M|m)akefile$|\.mk$/,
    (text) => recipes(text, /^([\w./%-]+(?:[ \t]+[\w./%-]+)*)[ \t]*::?(?!=)[^\n]*\n/gm),
  ],
  [/(?:^|\/)\.?[jJ]ustfile$/, (text) => recipes(text, /^@?([\w-]+)[^\n:=]*:(?!=)[^\n]*\n/gm)],
  [
    /(?:^|\/)(?:tox\.ini|noxfile\.py|Taskfile\.ya?ml|pyproject\.toml)$/,
    (text) => recipes(text, /^[ \t]*(commands)\s*[:=][ \t]*\n?/gm),
  ],
];

/** Named commands of a file; none for files of other kinds and for unreadable text. */
function scriptsOf(path: string, text: string): readonly Script[] {
  return readers.find(([file]) => file.test(path))?.[1](text, path) ?? [];
}

function jsonScripts(text: string): readonly Script[] {
  // An unreadable manifest runs no scripts; the checks themselves will report it.
  const scripts = fieldsOf(jsonObject(text)?.['scripts']);
  const lineAt = linesOf(text);
  return Object.entries(scripts).flatMap(([name, value]) => {
    const command = Array.isArray(value) ? value.join(' && ') : value;
    if (typeof command !== 'string') return [];
    const at = text.indexOf(JSON.stringify(name), Math.max(0, text.search(/"(?:scripts|tasks)"\s*:/)));
    return [{ name, command, line: lineAt(Math.max(0, at)) }];
  });
}

/** Lines of a shell script that check nothing, whether they fail or not. */
const housekeeping =
  /^[ \t]*(?:#.*|set[ \t].*|(?:rm|mkdir|kill|wait|echo|printf)\b[^&|;\n]*(?:\|\|[ \t]*(?:true|:)[ \t]*)?)$/gm;

/** The file itself, without what checks nothing. */
function shellScript(text: string, path: string): readonly Script[] {
  const name = path.slice(path.lastIndexOf('/') + 1).replace(/\.\w+$/, '');
  return [{ name, command: text.replace(housekeeping, '').trim(), line: 1 }];
}

/** Indented lines under a head. */
function recipes(text: string, head: RegExp): readonly Script[] {
  const lineAt = linesOf(text);
  return [...text.matchAll(head)].map((match) => {
    const body = /(?:[ \t]+[^\n]*(?:\n|$)|[ \t]*\n)*/y;
    body.lastIndex = match.index + match[0].length;
    const command = (body.exec(text)?.[0] ?? '')
      .replace(/\\\n\s*/g, ' ')
      .replace(/^[ \t]+/gm, '')
      .trim();
    return { name: match[1] ?? '', command, line: lineAt(match.index) };
  });
}

/** Words by which a build may still run a check in an unknown way. */
const mentions: Readonly<Partial<Record<Purpose, RegExp>>> = {
  tests: /\b(?:tests?|specs?|check)\b/i,
  lint: /\blint/i,
  types: /\btypes?\b|\btypecheck\b|\btsc\b/i,
};
const title = /^[ \t-]*(?:name|id|key|displayName):.*$/gm;
/** Keywords that delegate the work to something outside the file. */
const delegation = /\b(?:uses|imports?|include|extends|template|orbs?|library)\b\s*[:(]?.*/g;

/** CI files that changed. A check that a build no longer runs is worse than a change. */
export function changedCi(changes: readonly FileChange[]): Finding[] {
  const files = changes
    .filter(({ path }) => ciFiles.test(path))
    .map(({ path, before, after }) => ({ path, before: before && essence(before), after: after && essence(after) }))
    .filter(({ before, after }) => before !== after);
  const now = files.map(({ after }) => after ?? '').join('\n');
  const kept = new Set(files.map(({ after }) => after).filter((after) => after !== null));
  return files.flatMap((file) => judgeCi(file, now, kept));
}

function judgeCi({ path, before, after }: FileChange, now: string, kept: ReadonlySet<string>): Finding[] {
  const finding = (kind: Finding['kind'], severity: Severity, detail: string) => [
    { kind, path, line: 1, detail, severity },
  ];
  if (before === null) return finding('ci-changed', 'low', 'A CI file was added.');
  if (after === null && kept.has(before)) return [];

  const unserved = [...purposesOf(before)].filter((purpose) => purpose in mentions && !purposesOf(now).has(purpose));
  const rewritten = newMatches(/^.*\S.*$/gm, before, now).length > 0;
  const lost = unserved
    .filter((purpose) => !rewritten || mentions[purpose]?.test(now.replace(title, '')) === false)
    .join(', ');
  if (after === null) {
    const severity = lost === '' || kept.size > 0 ? 'low' : 'high';
    return finding('ci-changed', severity, `A CI file was deleted${lost === '' ? '' : `; it ran ${lost}`}.`);
  }
  if (lost === '') return finding('ci-changed', 'low', 'A CI file was changed.');
  const delegated = newMatches(delegation, before, after).length > 0;
  return finding('check-neutralised', delegated ? 'low' : 'high', `The build no longer runs ${lost} here.`);
}

/** A CI file without comments, empty lines and trailing spaces. */
function essence(text: string): string {
  return withoutCommentLines(text)
    .replace(/(?<![ \t])[ \t]+$/gm, '')
    .replace(/\n{2,}/g, '\n')
    .trim();
}
