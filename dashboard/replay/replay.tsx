import { useEffect, useMemo, useState } from 'preact/hooks';
import type { RunView } from '../../src/rules/view/model.ts';
import { linesOf } from '../transcript/pages.ts';
import { Transcript } from '../transcript/transcript.tsx';
import { Controls } from './controls.tsx';
import { openPlayer } from './player.ts';
import { openReplay } from './replay-source.ts';
import { Scene } from './scene.tsx';

export interface ReplayProps {
  readonly project: string;
  readonly run: string;
  /** All of the run, as it is known now. */
  readonly view: RunView;
  /** That its log has. */
  readonly lines: number;
}

/** Plays the run as it was. What a live run does meanwhile is not in it: it shows what was there when it was opened. */
export function Replay({ project, run, view, lines }: ReplayProps) {
  const [whole] = useState(view);
  const [length] = useState(lines);
  const start = whole.startedAt ?? whole.iterations[0]?.startedAt ?? whole.lastEventAt;
  const end = Math.max(start + 1, whole.lastEventAt);
  const source = useMemo(() => openReplay(run, linesOf(project, run), whole, length), [project, run, whole, length]);
  const player = useMemo(() => openPlayer(source, start, end), [source, start, end]);
  useEffect(
    () => () => {
      player.close();
      source.close();
    },
    [player, source],
  );
  const shown = source.view.value;
  return (
    <section class="replay" aria-label="Replay">
      <Controls source={source} player={player} start={start} end={end} whole={whole} />
      {source.failed.value !== null && (
        <p class="trouble" role="alert">
          {source.failed.value}
        </p>
      )}
      <div class="replay-body">
        <Scene view={shown} />
        <Transcript project={project} run={run} iteration={null} view={shown} until={source.moment.value} />
      </div>
    </section>
  );
}
