import type { LabTask } from './model.ts';

interface Told {
  readonly subject: string;
  readonly body: string;
  readonly trailers: readonly (readonly [string, string])[];
  /** Against the parent, as git prints it. */
  readonly patch: string;
  readonly tests: readonly string[];
}

const NAMED =
  /\b(?:function\*?|def|func(?:\s*\([^)]*\))?|fn|class|const|let|var|type|interface|struct|enum|trait|module)\s+([A-Za-z_$][\w$]{2,})/g;
const WORD = /[A-Za-z_$][\w$]*/g;
const MOST_TEXT = 6_000;
const MOST_NAMES = 12;

/**
 * What an agent is told of a commit: its message, without trailers and numbers of issues. Names that the hidden tests
 * use are given, since no work could meet them by chance; names that only the person's solution has are left out.
 */
export function storyOf({ subject, body, trailers, patch, tests }: Told): LabTask['story'] {
  const files = filesOf(patch);
  const isTest = new Set(tests);
  const [code, tested] = [files.filter(({ path }) => !isTest.has(path)), files.filter(({ path }) => isTest.has(path))];
  const used = new Set(tested.flatMap(({ added }) => added.match(WORD) ?? []));
  const old = new Set(files.flatMap(({ before }) => before.match(WORD) ?? []));
  const defined = new Set(code.flatMap(({ added }) => [...added.matchAll(NAMED)].map(([, name = '']) => name)));
  const names = [...defined].filter((name) => !old.has(name));
  const paths = code.filter(({ isNew }) => isNew).map(({ path }) => path);
  const needed = [...names.filter((name) => used.has(name)), ...paths.filter((path) => used.has(stemOf(path)))];
  const spoilers = [...names, ...paths, ...paths.map(fileOf)].filter(
    (name) => !needed.some((other) => other === name || fileOf(other) === name),
  );
  const text = withoutNames(messageOf(body, trailers), spoilers);
  const list = needed.slice(0, MOST_NAMES).map((name) => `\`${name}\``);
  return {
    title: withoutNames(withoutNumbers(subject), spoilers) || 'Untitled change',
    description: text.slice(0, MOST_TEXT),
    acceptanceCriteria: [
      'The checks of the project pass, together with tests that you do not see',
      ...(list.length === 0 ? [] : [`Those tests use these names: ${list.join(', ')}`]),
    ],
  };
}

/** Added text, and text that was there before, of each file of a patch. */
function filesOf(patch: string) {
  return patch.split(/^diff --git /m).flatMap((part) => {
    const path = /^\+\+\+ "?b\/(.*?)"?\t?$/m.exec(part)?.[1];
    if (path === undefined) return [];
    const lines = part.slice(part.indexOf('\n@@')).split('\n');
    const of = (signs: string) => lines.filter(([sign]) => sign !== undefined && signs.includes(sign)).join('\n');
    return [{ path, isNew: /^--- \/dev\/null$/m.test(part), added: of('+'), before: of('- @') }];
  });
}

function messageOf(body: string, trailers: Told['trailers']): string {
  const keys = new Set(trailers.map(([key]) => key.toLowerCase()));
  const lines = body.split('\n').filter((line) => {
    const key = /^([\w-]+):\s/.exec(line)?.[1]?.toLowerCase();
    return !(
      (key !== undefined && (keys.has(key) || /-by$|^change-id$/.test(key))) ||
      /^\(?cherry[ -]picked from/i.test(line) ||
      /^\W*(?:(?:close|fixe?|resolve)[sd]?|refs?|see|part of)\b[\s:]*(?:[\w./-]*#\d+[\s,.]*|https?:\S+[\s,.]*)+$/i.test(
        line,
      )
    );
  });
  return withoutNumbers(lines.join('\n')).replace(/\n{3,}/g, '\n\n');
}

/** Numbers of issues and pull requests lead to the solution. */
function withoutNumbers(text: string): string {
  return text.replace(/[ \t]*(?:\((?:[\w./-]*#\d+(?:, )?)+\)|(?<![\w&])[\w./-]*#\d+\b)/g, '').trim();
}

/** In prose a name that is also an English word stays. */
function withoutNames(text: string, names: readonly string[]): string {
  return names.reduce((now, name) => {
    const plain = name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
    const isWord = /^[A-Z]?[a-z]+$/.test(name);
    const quoted = now.replace(new RegExp(`\`${plain}(?:\\(\\))?\``, 'g'), '…');
    return isWord ? quoted : quoted.replace(new RegExp(`(?<![\\w$/.-])${plain}(?:\\(\\))?(?![\\w$/-])`, 'g'), '…');
  }, text);
}

const fileOf = (path: string) => path.slice(path.lastIndexOf('/') + 1);
const stemOf = (path: string) => fileOf(path).replace(/\..*$/, '');
