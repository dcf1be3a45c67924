import { listRuns, readMarker, runState, summariseRun } from '../../adapters/workspace/index.ts';
import { type Operate, type ProjectInfo, RalphError, type RunState, type RunSummary } from '../../contracts/index.ts';
import { isLive } from '../../rules/view/index.ts';
import { type Paint, plain, renderIteration } from '../terminal/index.ts';
import { type Attached, attach } from './attach.ts';
import { type Asked, FIRST_UI, type Message, type Scene, type Ui, type Wish } from './scene.ts';

/** How soon a run that starts, ends or dies is noticed. */
const LOOK_MS = 1000;
/** Every this many looks new work trees are searched for. */
const LOOKS_PER_LIST = 2;
/** How long a message stays when no key is pressed. */
const MESSAGE_MS = 8000;

export interface SessionInput {
  readonly streams: readonly ProjectInfo[];
  /** The current work trees: new ones are added to those shown. */
  readonly listStreams: () => Promise<readonly ProjectInfo[]>;
  readonly selected: number;
  /** Only this run; null: the live or newest one. */
  readonly run: string | null;
  readonly operate: Operate;
  /** Requests to a live run that it has not carried out yet. */
  readonly askedOf: (root: string, run: string) => Promise<Asked | null>;
  readonly paint: Paint;
}

/** The monitor between its screens: what it follows, and where the user is in it. */
export type Session = Awaited<ReturnType<typeof openSession>>;

/** Opens a session; holds a timer and a file until `close()`. */
export async function openSession(input: SessionInput) {
  const { operate, paint, listStreams, askedOf } = input;
  let { streams } = input;
  const listeners = new Set<() => void>();
  let ui = FIRST_UI;
  let selected = input.selected;
  let attached: Attached | null = null;
  let wanted = input.run;
  let newest: string | null = null;
  let trouble: string | null = null;
  let states: readonly (RunState | null)[] = streams.map(() => null);
  let summaries: readonly (RunSummary | null)[] = [];
  let asked: Asked | null = null;
  let length = 0;
  let looks = 0;
  let forgetting: NodeJS.Timeout | undefined;

  const changed = () => {
    keepPlace();
    for (const tell of listeners) tell();
  };
  const setUi = (next: Ui) => {
    if (next.message !== ui.message) clearTimeout(forgetting);
    if (next.message !== null && next.message !== ui.message) {
      forgetting = setTimeout(() => setUi({ ...ui, message: null }), MESSAGE_MS).unref();
    }
    ui = next;
    changed();
  };
  const say = (message: Message) => setUi({ ...ui, message });
  const root = () => streams[selected]?.root ?? '';

  /** A user who has scrolled up in the log stays there while it grows. */
  function keepPlace(): void {
    const log = attached?.log();
    const now = (ui.verbose ? log?.full : log?.brief)?.length ?? 0;
    const reads = ui.scroll > 0 && !ui.help && ui.search === '' && (ui.pane === 'log' || ui.pane === 'overview');
    if (reads && now > length && length > 0) ui = { ...ui, scroll: ui.scroll + now - length };
    length = now;
  }

  function detach(): void {
    attached?.close();
    attached = null;
    length = 0;
    asked = null;
  }

  async function attachTo(run: string): Promise<void> {
    detach();
    trouble = null;
    ui = { ...ui, scroll: 0 };
    const onTrouble = (error: unknown) => {
      trouble = wordsOf(error);
      changed();
    };
    try {
      attached = await attach(root(), run, paint, { changed, trouble: onTrouble });
    } catch (error) {
      onTrouble(error);
    }
  }

  /** Finds the newest run here, and the state of the runs of all work trees. */
  async function look(): Promise<void> {
    if (looks % LOOKS_PER_LIST === 1) streams = withNew(streams, await listStreams());
    looks += 1;
    newest = await newestRun(root());
    const run = wanted ?? newest;
    if (run !== null && run !== attached?.run && trouble === null) await attachTo(run);
    summaries = await Promise.all(streams.map(newestSummary));
    // For the shown work tree the shown run counts, which may be an earlier one.
    const own = await ownState();
    states = streams.map((_, i) => (i === selected ? own : (summaries[i]?.state ?? null)));
    await lookAsked();
    changed();
  }
  async function lookAsked(): Promise<void> {
    const state = states[selected];
    const run = attached?.run ?? null;
    // A steering file that cannot be read now is read at the next look.
    const found =
      state !== undefined && isLive(state) && run !== null ? await askedOf(root(), run).catch(() => asked) : null;
    if (run === (attached?.run ?? null)) asked = found;
  }
  const ownState = async () => {
    const view = attached?.view() ?? null;
    return view === null ? null : runState(root(), view);
  };

  async function step(by: -1 | 1): Promise<void> {
    const runs = await listRuns(root());
    const at = attached === null ? runs.length : runs.indexOf(attached.run);
    const run = runs[at + by];
    if (run === undefined) return say({ text: `there is no ${by < 0 ? 'older' : 'newer'} run here`, bad: true });
    // The newest is replaced by a newer one, any other stays until the user moves on.
    wanted = run === runs.at(-1) ? null : run;
    trouble = null;
    await look();
  }

  async function control(action: Parameters<Operate>[1]): Promise<void> {
    try {
      const { text } = await operate(root(), action);
      await lookAsked();
      say({ text, bad: false });
    } catch (error) {
      say({ text: wordsOf(error), bad: true });
    }
  }

  let isLooking = false;
  const timer = setInterval(() => {
    if (isLooking) return;
    isLooking = true;
    look()
      .catch((error: unknown) => say({ text: wordsOf(error), bad: true }))
      .finally(() => {
        isLooking = false;
      });
  }, LOOK_MS);
  await look();

  return {
    scene: (): Scene => ({
      streams: streams.map((project, i) => ({ project, state: states[i] ?? null, summary: summaries[i] ?? null })),
      selected,
      run: attached?.run ?? wanted ?? newest,
      newest: wanted === null || wanted === newest,
      state: states[selected] ?? null,
      view: attached?.view() ?? null,
      asked,
      log: attached?.log() ?? { brief: [], full: [], hasOlder: false },
      trouble,
    }),
    ui: () => ui,
    setUi,
    /** @returns a function that ends it */
    onChange(tell: () => void) {
      listeners.add(tell);
      return () => void listeners.delete(tell);
    },
    /** Carries out the request of a key, except for leaving the screen. */
    async fulfil(wish: Wish): Promise<void> {
      switch (wish.do) {
        case 'control':
          return control(wish.action);
        case 'run':
          return step(wish.step);
        case 'older-lines':
          return attached?.older();
        case 'stream':
          if (wish.index === selected) return;
          selected = wish.index;
          wanted = null;
          trouble = null;
          detach();
          return look();
        case 'detach':
        case 'interrupt':
        case 'agent-log':
          return;
      }
    },
    /** What the agent of an iteration did, according to the log; null when no run is shown. */
    async transcript(iteration: number): Promise<readonly string[] | null> {
      const rows = attached?.view()?.iterations ?? [];
      const row = rows.find((one) => one.iteration === iteration);
      if (attached === null || row === undefined) return null;
      const options = { paint: plain, verbose: true, columns: Number.POSITIVE_INFINITY };
      return renderIteration(await attached.events(row.from, row.to), iteration, options);
    },
    /** The location of everything that the agent of an iteration printed. */
    place: () => ({ root: root(), run: attached?.run ?? null }),
    say,
    close() {
      clearInterval(timer);
      clearTimeout(forgetting);
      detach();
    },
  };
}

/** New ones come after the existing ones, whose digits stay unchanged. */
function withNew(streams: readonly ProjectInfo[], found: readonly ProjectInfo[]): readonly ProjectInfo[] {
  const fresh = found.filter(({ id }) => !streams.some((one) => one.id === id));
  return fresh.length === 0 ? streams : [...streams, ...fresh];
}

async function newestRun(root: string): Promise<string | null> {
  const marker = await readMarker(root);
  if (marker?.live) return marker.marker.run;
  return (await listRuns(root)).at(-1) ?? null;
}

async function newestSummary({ root, id }: ProjectInfo): Promise<RunSummary | null> {
  const run = await newestRun(root);
  if (run === null) return null;
  // An unusable log is reported when it is opened.
  return summariseRun(root, id, run).catch(() => null);
}

/** What went wrong, and the first way to fix it. */
function wordsOf(error: unknown): string {
  if (!(error instanceof RalphError)) return error instanceof Error ? error.message : String(error);
  const { what, fix } = error.facts;
  return fix?.[0] === undefined ? what : `${what}: ${fix[0]}`;
}
