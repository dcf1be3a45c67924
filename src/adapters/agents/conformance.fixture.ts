import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testTask } from '../../../test/support/agent-task.ts';
import { runs } from '../../../test/support/property-runs.ts';
import type { AgentErrorKind, AgentEvent, AgentResult } from '../../contracts/index.ts';
import { list, makeTempDir, readText, remove, stat } from '../../platform/index.ts';
import { LIMIT_TALK, poisoned, shuffledKeys, UNKNOWN_LINES, withNoise } from './conformance-mutations.fixture.ts';
import type { AgentAdapter, AgentTask } from './port.ts';

/** What one process printed and how it ended, and what has to come of it. */
export interface Recording {
  readonly name: string;
  /** Lines of standard output. */
  readonly stdout: readonly string[];
  readonly stderr?: string;
  /** null when a signal ended it. */
  readonly exitCode: number | null;
  readonly signal?: string;
  /** Events that must come in this order, others between them allowed; only the fields named here are compared. */
  readonly events: readonly (Partial<AgentEvent> & Pick<AgentEvent, 'type'>)[];
  /** Only the fields named here are compared; `ok` follows from `error`. */
  readonly result: Partial<Omit<AgentResult, 'error' | 'ok'>> & { readonly error: AgentErrorKind | null };
}

/** The streams of a client, as it wrote them. @param read the text of one, by name */
export function recordedIn(read: (name: string) => string) {
  return (
    name: string,
    exitCode: number | null,
    { events = [], signal, stderr, ...result }: Recording['result'] & Partial<Recording>,
  ): Recording => {
    const stdout = read(name).trimEnd().split('\n');
    return { name, stdout, exitCode, events, result, ...(signal && { signal }), ...(stderr && { stderr }) };
  };
}

interface ConformanceOptions {
  /** Every line is an answer, so that noise is not to be told from it. */
  readonly plainText?: boolean;
  /** The program is ours and speaks in AgentEvents: their fields are taken as they are. */
  readonly ownProgram?: boolean;
  /** Why this agent can take its prompt only from its argument list. */
  readonly promptInArguments?: string;
  /** What this agent needs in its task. */
  readonly task?: Partial<AgentTask>;
}

/** What comes of these lines and this end of a process. */
export function readStream(
  adapter: AgentAdapter,
  lines: readonly object[],
  exit: { readonly exitCode?: number | null; readonly signal?: string; readonly stderr?: string } = {},
) {
  const translator = adapter.translator(testTask({ cwd: '/project', tempDir: '/tmp/t' }));
  const events = lines.flatMap((line) => translator.line(JSON.stringify(line)));
  return { events, ...translator.end({ exitCode: 0, signal: null, stderr: '', ...exit }) };
}

const PROMPT = 'Implement the story "prompt-marker".\nSecond line: $HOME `id` \'quoted\'';
const SECRET = 'credential-marker';

/**
 * Registers the tests that every adapter must pass: each recording gives what it should, and the rules of the port
 * hold for it and for what is left of it after lines were lost, added, cut or reordered. No process is started.
 */
export function conforms(
  adapter: AgentAdapter,
  recordings: readonly Recording[],
  options: ConformanceOptions = {},
): void {
  describe(`${adapter.name} conforms to the port`, () => {
    let dir = '';
    beforeAll(async () => {
      dir = await makeTempDir('ralph-conformance-');
    });
    afterAll(() => remove(dir));
    const task = (rest: Partial<AgentTask> = {}): AgentTask =>
      testTask({ cwd: dir, tempDir: dir, prompt: PROMPT, ...options.task, ...rest });
    const read = (lines: readonly string[], exit: Exit) => play(adapter, task(), lines, exit);

    describe.each(recordings.map((recording) => [recording.name, recording] as const))('%s', (_, recording) => {
      const lines = recording.stdout;
      const exit = exitOf(recording);

      it('gives the events and the result it should', () => {
        const played = read(lines, exit);
        const { events, result } = played;
        expect(firstMissing(events, recording.events), JSON.stringify(events, null, 1)).toBeNull();
        const { error, ...rest } = recording.result;
        expect(result).toMatchObject({ ...rest, exitCode: exit.exitCode, signal: exit.signal });
        expect(result.error?.kind ?? null, result.error?.message).toBe(error);
        keepsTheRules(played);
        totalsGrow(played);
      });

      if (!options.plainText) {
        it('is not changed by noise, unknown lines or another order of keys', () => {
          const plain = withoutNotices(read(lines, exit));
          expect(withoutNotices(read(withNoise(lines), exit))).toEqual(plain);
          expect(withoutNotices(read(lines.map(shuffledKeys), exit))).toEqual(plain);
          expect(withoutNotices(read(['', ...lines, '   '], exit))).toEqual(plain);
        });

        it('keeps its judgement when an answer, a tool result or an edit talks about limits', () => {
          const before = read(lines, exit);
          const after = read(poisoned(lines, before.events), exit);
          expect(after.result.error?.kind).toBe(before.result.error?.kind);
          expect(after.result.limit).toEqual(before.result.limit);
          expect(after.events.filter(isLimit)).toEqual(before.events.filter(isLimit));
          const said = before.events.some((event) => event.type === 'text');
          if (said) expect(JSON.stringify(after.events), 'the talk must arrive').toContain(LIMIT_TALK);
        });
      }

      it('keeps the rules when any part of it is lost', () => {
        lines.forEach((line, index) => {
          const cut = line.slice(0, Math.floor(line.length / 2));
          for (const rest of [lines.slice(0, index), lines.toSpliced(index, 1), [...lines.slice(0, index), cut]]) {
            const played = read(rest, exit);
            keepsTheRules(played);
            totalsGrow(played);
          }
        });
      });

      it('keeps the rules in any order, with lines said twice and with any ending', () => {
        const pieces = fc.array(fc.nat({ max: Math.max(lines.length - 1, 0) }), { maxLength: lines.length * 2 });
        fc.assert(
          fc.property(pieces, fc.constantFrom(...ENDINGS, exit), (order, ending) => {
            const played = read(
              order.map((index) => lines[index] ?? ''),
              ending,
            );
            keepsTheRules(played);
            if (!options.plainText && ending.exitCode !== 0) expect(played.result.ok).toBe(false);
          }),
          { numRuns: runs(60) },
        );
      });
    });

    it('takes an empty stream with exit 0 for an empty answer', () => {
      expect(read([], { exitCode: 0, signal: null, stderr: '' }).result).toMatchObject({
        ok: false,
        error: { kind: 'empty' },
        limit: null,
      });
    });

    it.each(ENDINGS)('takes an empty stream with exit $exitCode $signal for a crash, with any stderr', (exit) => {
      const { result } = read([], { ...exit, stderr: `Error: 429 ${LIMIT_TALK}` });
      expect(result).toMatchObject({ ok: false, error: { kind: 'crash' }, limit: null });
    });

    it('survives a huge line, and lines of every shape', () => {
      const huge = `{"type":"text","text":"${'x'.repeat(1024 * 1024)}"}`;
      for (const ending of ENDINGS) {
        const played = read([huge, ...UNKNOWN_LINES, huge.slice(0, -2)], ending);
        keepsTheRules(played);
        expect(played.result.error?.message.length ?? 0).toBeLessThan(4096);
      }
      fc.assert(
        fc.property(fc.array(anyLine(options.ownProgram ? [] : recordings)), (soup) => {
          keepsTheRules(read(soup, { exitCode: 0, signal: null, stderr: '' }));
        }),
        { numRuns: runs(200) },
      );
    });

    it('keeps the prompt out of the argument list, and hands all of it over', async () => {
      const command = await adapter.command(task());
      const inArguments = command.args.some((argument) => argument.includes('prompt-marker'));
      expect(inArguments, 'process listings show arguments').toBe(options.promptInArguments !== undefined);
      const files = await contentsOf(dir);
      expect([command.stdin, ...command.args, ...files].some((place) => place.includes(PROMPT))).toBe(true);
    });

    it('keeps credentials out of the argument list and out of files', async () => {
      const names = adapter.environment.map((name) => name.replace(/\*$/, 'API_KEY'));
      const env = { ...Object.fromEntries(names.map((name) => [name, SECRET])), ...task().env };
      const control = { url: 'http://127.0.0.1:1', token: `${SECRET}-token` };
      const { file, args } = await adapter.command(task({ env, control }));
      expect(JSON.stringify([file, args])).not.toContain(SECRET);
      expect((await contentsOf(dir)).join('\n')).not.toContain(SECRET);
    });

    it('works in the work tree, in the environment it was given, with the model it was told', async () => {
      const env: Record<string, string> = { ...task().env, EXAMPLE_SETTING: 'kept' };
      const { cwd, env: given, args } = await adapter.command(task({ env, model: 'model-marker' }));
      expect(cwd).toBe(dir);
      expect(given).toMatchObject({ EXAMPLE_SETTING: 'kept', PATH: env['PATH'] });
      const places = [...args, ...Object.values(given), ...(await contentsOf(dir))];
      expect(places.some((place) => place.includes('model-marker'))).toBe(true);
    });
  });
}

type Exit = { readonly exitCode: number | null; readonly signal: string | null; readonly stderr: string };

const ENDINGS: readonly Exit[] = [
  { exitCode: 1, signal: null, stderr: '' },
  { exitCode: 2, signal: null, stderr: 'fatal: something\n' },
  { exitCode: 255, signal: null, stderr: '' },
  { exitCode: null, signal: 'SIGTERM', stderr: '' },
  { exitCode: null, signal: 'SIGKILL', stderr: 'Killed\n' },
];

interface Played {
  readonly events: readonly AgentEvent[];
  readonly result: AgentResult;
}

function play(adapter: AgentAdapter, task: AgentTask, lines: readonly string[], exit: Exit): Played {
  const translator = adapter.translator(task);
  return { events: lines.flatMap((line) => translator.line(line)), result: translator.end(exit) };
}

function exitOf({ exitCode, signal, stderr }: Recording): Exit {
  return { exitCode, signal: signal ?? null, stderr: stderr ?? '' };
}

/** What must be true of all that a process prints, and of every way in which it ends. */
function keepsTheRules({ result }: Played): void {
  expect(result.ok).toBe(result.error === null);
  if (result.ok) expect(result.text.trim()).not.toBe('');
  if (result.signal !== null) expect(result.ok).toBe(false);
  if (result.limit?.status === 'rejected') expect(result.ok).toBe(false);
}

/** Totals never decrease, as long as lines come in their order. */
function totalsGrow({ events }: Played): void {
  const usages = events.filter((event) => event.type === 'usage');
  usages.forEach((event, index) => {
    for (const [kind, tokens] of Object.entries(event.usage)) {
      expect(tokens).toBeGreaterThanOrEqual(0);
      const before = usages[index - 1]?.usage[kind as keyof typeof event.usage] ?? 0;
      expect(tokens, `${kind} is a running total`).toBeGreaterThanOrEqual(before);
    }
  });
}

/** The first of the wanted events that does not come in its place; null when all do. */
function firstMissing(events: readonly AgentEvent[], wanted: Recording['events']): Recording['events'][number] | null {
  let next = 0;
  for (const event of events) {
    const want = wanted[next];
    if (want && expect.objectContaining(want).asymmetricMatch(event)) next += 1;
  }
  return wanted[next] ?? null;
}

function withoutNotices({ events, result }: Played): Played {
  return { events: events.filter((event) => event.type !== 'notice'), result };
}

function isLimit(event: AgentEvent): boolean {
  return event.type === 'limit';
}

/** Lines of recordings with a value somewhere in them replaced by one of another type, among other JSON. */
function anyLine(recordings: readonly Recording[]): fc.Arbitrary<string> {
  const known = recordings.flatMap(({ stdout }) => stdout);
  const broken = fc
    .tuple(fc.constantFrom('{}', ...known), fc.jsonValue(), fc.nat())
    .map(([line, value, at]) => replaceValue(line, value, at));
  return fc.oneof(fc.json(), fc.string(), broken);
}

/** The line with its `at`th value, counted round and round, replaced. */
function replaceValue(line: string, value: unknown, at: number): string {
  let count = 0;
  const countAll = (_: string, inner: unknown) => {
    count += 1;
    return inner;
  };
  try {
    const parsed: unknown = JSON.parse(line, countAll);
    const chosen = at % count;
    let seen = -1;
    return JSON.stringify(parsed, (_, inner: unknown) => {
      seen += 1;
      return seen === chosen ? value : inner;
    });
  } catch {
    return line;
  }
}

/** Every file below `dir`. */
async function contentsOf(dir: string): Promise<string[]> {
  const places = (await list(dir)).map((name) => join(dir, name));
  const contents = await Promise.all(
    places.map(async (place) =>
      (await stat(place))?.kind === 'dir' ? contentsOf(place) : [(await readText(place)) ?? ''],
    ),
  );
  return contents.flat();
}
