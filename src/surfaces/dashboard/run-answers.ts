import type { ServerResponse } from 'node:http';
import type { Git } from '../../adapters/git/port.ts';
import { runState } from '../../adapters/workspace/records/run-state.ts';
import type { ProjectInfo } from '../../contracts/catalogue.ts';
import { isLive } from '../../rules/view/is-live.ts';
import type { RunView } from '../../rules/view/model.ts';
import type { CommitView, LinesPage, LinesQuery, RunSnapshot } from './api.ts';
import { openFeeds } from './feeds.ts';
import { Refused } from './refusal.ts';

/** A run that there is. */
export interface RunPlace {
  readonly project: ProjectInfo;
  readonly run: string;
}

/** What is asked about one run. */
export interface RunAnswers {
  /** A {@link RunSnapshot} as JSON. */
  readonly snapshot: (place: RunPlace) => Promise<string>;
  readonly lines: (place: RunPlace, query: LinesQuery) => Promise<LinesPage>;
  readonly commit: (place: RunPlace, id: string) => Promise<CommitView>;
  /** One HTML file. */
  readonly report: (place: RunPlace) => Promise<string>;
  /** Streams events from a line on; the answer has begun. */
  readonly join: (place: RunPlace, outgoing: ServerResponse, after: number) => Promise<void>;
  readonly view: (place: RunPlace) => Promise<RunView>;
  readonly beat: () => void;
  readonly close: () => Promise<void>;
}

export interface RunTools {
  readonly openGit: (root: string) => Promise<Git>;
  readonly version: string;
  readonly now: () => number;
}

export function openRunAnswers(tools: RunTools): RunAnswers {
  const feeds = openFeeds();
  /** Views as text: while nothing happens, all who ask get the same. */
  const texts = new WeakMap<RunView, string>();

  function textOf(view: RunView): string {
    const text = texts.get(view) ?? JSON.stringify(view);
    texts.set(view, text);
    return text;
  }

  function view({ project, run }: RunPlace): Promise<RunView> {
    return feeds.use(project.root, run, async (feed) => (await feed.look()).view);
  }

  return {
    view,
    async snapshot({ project, run }) {
      const { view, lines } = await feeds.use(project.root, run, (feed) => feed.look());
      const around: Omit<RunSnapshot, 'view'> = { project, state: await runState(project.root, view), lines };
      return `${JSON.stringify(around).slice(0, -1)},"view":${textOf(view)}}`;
    },
    lines: ({ project, run }, query) => feeds.use(project.root, run, (feed) => feed.find(query)),
    async commit(place, id) {
      const made = (await view(place)).iterations.some(({ commit }) => commit?.id === id);
      const git = made ? await tools.openGit(place.project.root) : null;
      const commit = await git?.commitView(id);
      if (!commit) throw new Refused(404, 'this run made no such commit, or it is gone');
      return commit;
    },
    async report(place) {
      const seen = await view(place);
      const [git, state] = await Promise.all([tools.openGit(place.project.root), runState(place.project.root, seen)]);
      // Few ask for it, and it is large.
      const { reportHtml } = await import('../report/report.ts');
      return reportHtml(seen, {
        project: place.project.name,
        generatedAt: tools.now(),
        version: tools.version,
        rescues: await git.rescues(),
        live: isLive(state),
      });
    },
    join: ({ project, run }, outgoing, after) => feeds.use(project.root, run, (feed) => feed.join(outgoing, after)),
    beat: feeds.beat,
    close: feeds.close,
  };
}
