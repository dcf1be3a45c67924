import { useState } from 'preact/hooks';
import { WAIT_TEXT } from '../../src/rules/text/index.ts';
import { goOnCommand, streamPlace } from '../../src/rules/view/index.ts';
import type { ProjectInfo, RunSummary } from '../../src/surfaces/dashboard/index.ts';
import { Icon } from '../parts/icon.tsx';
import { ModeLabel, RunStatePill, StoryBar, VerdictPill } from '../parts/pills.tsx';
import { runHref } from '../route.ts';
import { isLive } from '../state/overview.ts';
import { now } from '../state/page.ts';
import { ago, counted, dollars, elapsed, moment, said, stopwatch } from '../text.ts';
import type { RunGroup } from './filter.ts';

/** Rows of a group before the reader asks for the rest. */
const SHOWN = 15;

const HEADS: readonly { readonly head: string; readonly width?: string; readonly look?: string }[] = [
  { head: 'State', width: '146px' },
  { head: 'Run', width: '25%' },
  { head: 'Now' },
  { head: 'Stories', width: '150px' },
  { head: 'Iteration', width: '86px', look: 'right' },
  { head: 'Cost', width: '84px', look: 'right' },
  { head: 'Last verdict', width: '130px' },
  { head: 'Started', width: '104px', look: 'right' },
];

const CUT_OFF = 'Its process is gone. The next `ralph run` recovers the interrupted work.';

/** Runs of one repository, a line each; where it has several work trees, one run of each. */
export function RunTable({ group: { runs, projects, heads } }: { readonly group: RunGroup }) {
  const [all, setAll] = useState(false);
  const most = projects.length > 1 ? heads : SHOWN;
  const shown = all ? runs : runs.slice(0, most);
  const trees = new Map(projects.map((project) => [project.id, project]));
  const hidden = runs.length - shown.length;
  return (
    <div class="panel">
      <table class="runs">
        <thead>
          <tr>
            {HEADS.map(({ head, width, look }) => (
              <th key={head} scope="col" class={look} style={width === undefined ? {} : { width }}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((run) => (
            <Row
              key={`${run.project}/${run.run}`}
              run={run}
              tree={projects.length > 1 ? (trees.get(run.project) ?? null) : null}
              root={trees.get(run.project)?.root ?? ''}
            />
          ))}
        </tbody>
      </table>
      {hidden > 0 && (
        <button type="button" class="button quiet more" onClick={() => setAll(true)}>
          Show {counted(hidden, 'older run')}
        </button>
      )}
    </div>
  );
}

/** `tree`: with only one work tree its name adds nothing. */
function Row({
  run,
  tree,
  root,
}: {
  readonly run: RunSummary;
  readonly tree: ProjectInfo | null;
  readonly root: string;
}) {
  const lane = streamPlace(root)?.lane ?? null;
  return (
    <tr class={lane === null ? '' : 'lane'}>
      <td class="c-state">
        <RunStatePill state={run.state} reason={run.ended?.reason} />
      </td>
      <td class="c-run">
        {tree !== null && (
          <strong class="line cut" title={said(root)}>
            {lane === null ? said(tree.name) : `lane ${lane}`}
          </strong>
        )}
        <a class="row-link mono" href={runHref(run.project, run.run)}>
          {said(run.run)}
        </a>
        <span class="dim meta">
          {run.branch !== null && (
            <span>
              <Icon name="branch" /> {said(run.branch)}
            </span>
          )}
          {run.agent !== null && <span>{said(run.agent)}</span>}
        </span>
      </td>
      <td class="c-now">
        {run.needs !== null && (
          <span class="needs warn toned">
            <Icon name="alert" /> {said(run.needs)}
          </span>
        )}
        {isLive(run) || run.state === 'between' ? (
          <Work run={run} root={root} />
        ) : (
          <span class="dim">{said(run.problem ?? run.ended?.summary ?? CUT_OFF)}</span>
        )}
      </td>
      <td class="c-stories">
        <StoryBar {...run.stories} />
      </td>
      <td class="c-iteration right number">
        <span class="label">iteration </span>
        {run.iteration}
        <span class="dim">/{run.maxIterations}</span>
      </td>
      <td class="c-cost right number">{dollars(run.costUsd)}</td>
      <td class="c-verdict">{run.lastVerdict !== null && <VerdictPill verdict={run.lastVerdict} />}</td>
      <td class="c-started right number dim">
        <Started run={run} />
      </td>
    </tr>
  );
}

function Work({ run, root }: { readonly run: RunSummary; readonly root: string }) {
  return (
    <>
      {run.story !== null && <span class="line cut">{`${said(run.story.id)} ${said(run.story.title)}`}</span>}
      {run.mode !== null && (
        <span class="dim meta">
          <ModeLabel mode={run.mode} />
        </span>
      )}
      {run.waiting !== null ? (
        <span class="warn toned">
          {WAIT_TEXT[run.waiting.why]}
          {run.waiting.until !== null && `, ${stopwatch(run.waiting.until - now.value)} left`}
        </span>
      ) : (
        run.state === 'between' && (
          <span class="dim">
            waits for its turn: <code>{said(goOnCommand(root))}</code>
          </span>
        )
      )}
    </>
  );
}

/** For live runs how long they have run, for ended ones how long ago they began. */
function Started({ run }: { readonly run: RunSummary }) {
  if (run.startedAt === null) return <>-</>;
  const text = isLive(run) ? elapsed(now.value - run.startedAt) : ago(now.value - run.startedAt);
  return (
    <time dateTime={new Date(run.startedAt).toISOString()} title={moment(run.startedAt)}>
      {text}
    </time>
  );
}
