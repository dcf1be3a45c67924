import type { StoryState } from '../../src/contracts/index.ts';
import type { StoryView } from '../../src/rules/view/index.ts';
import { Empty } from '../parts/problem.tsx';
import { said } from '../text.ts';
import { type Graph, layersOf } from './layers.ts';

const WIDTH = 190;
const HEIGHT = 46;
const GAP_X = 64;
const GAP_Y = 14;
const MARGIN = 12;
/** Letters that fit into a box. */
const TITLE = 26;

/** The look of a state besides its colour. */
const MARK: Readonly<Record<StoryState, { readonly look: string; readonly sign: string }>> = {
  done: { look: 'good', sign: '✓' },
  'done, unreviewed': { look: 'good', sign: '✓' },
  blocked: { look: 'warn', sign: '⊘' },
  'needs review': { look: 'accent', sign: '◉' },
  'changes requested': { look: 'accent', sign: '↺' },
  'to do': { look: 'plain', sign: '○' },
};

interface Place {
  readonly x: number;
  readonly y: number;
}

/** The stories in layers, from left to right: each comes after those it waits for. */
export function DependencyGraph({
  stories,
  now,
}: {
  readonly stories: readonly StoryView[];
  readonly now: string | null;
}) {
  const graph = layersOf(stories);
  const { alone, edges, layers } = graph;
  if (layers.length === 0) return <Empty title="No story waits for another." />;
  const places = placesOf(graph);
  const width = MARGIN * 2 + layers.length * WIDTH + (layers.length - 1) * GAP_X;
  const height = MARGIN * 2 + Math.max(...layers.map((layer) => layer.length)) * (HEIGHT + GAP_Y) - GAP_Y;
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keys too. */}
      <section class="panel graph" tabIndex={0} aria-label="Dependencies">
        <svg width={width} height={height} role="img" aria-label={inWords(stories)}>
          {edges.map(({ from, to }) => (
            <Edge key={`${from} ${to}`} from={places.get(from)} to={places.get(to)} />
          ))}
          {layers.flat().map((story) => (
            <Box key={story.id} story={story} at={places.get(story.id)} live={story.id === now} />
          ))}
        </svg>
      </section>
      {alone.length > 0 && (
        <p class="dim note">Without dependencies: {alone.map((story) => said(story.id)).join(', ')}</p>
      )}
    </>
  );
}

function Edge({ from, to }: { readonly from: Place | undefined; readonly to: Place | undefined }) {
  if (from === undefined || to === undefined) return null;
  const start = { x: from.x + WIDTH, y: from.y + HEIGHT / 2 };
  const end = { x: to.x - 5, y: to.y + HEIGHT / 2 };
  const bend = GAP_X / 2;
  return (
    <g class="edge">
      <path d={`M${start.x} ${start.y}C${start.x + bend} ${start.y} ${end.x - bend} ${end.y} ${end.x} ${end.y}`} />
      <path class="tip" d={`M${end.x - 3} ${end.y - 4}l7 4l-7 4z`} />
    </g>
  );
}

function Box(props: { readonly story: StoryView; readonly at: Place | undefined; readonly live: boolean }) {
  const { story, at, live } = props;
  if (at === undefined) return null;
  const { look, sign } = MARK[story.state];
  const title = said(story.title);
  return (
    <g class={`box ${look}${live ? ' live' : ''}`} transform={`translate(${at.x} ${at.y})`}>
      <title>{`${said(story.id)} ${title}: ${story.state}`}</title>
      <rect width={WIDTH} height={HEIGHT} rx="7" />
      <text class="sign" x="12" y="19">
        {sign}
      </text>
      <text class="id" x="28" y="19">
        {cut(said(story.id), TITLE - 6)}
      </text>
      <text x="12" y="36">
        {cut(title, TITLE)}
      </text>
    </g>
  );
}

function placesOf(graph: Graph<StoryView>): ReadonlyMap<string, Place> {
  const places = new Map<string, Place>();
  graph.layers.forEach((layer, column) => {
    layer.forEach((story, row) => {
      places.set(story.id, { x: MARGIN + column * (WIDTH + GAP_X), y: MARGIN + row * (HEIGHT + GAP_Y) });
    });
  });
  return places;
}

/** The same for people who cannot see it. */
function inWords(stories: readonly StoryView[]): string {
  const waiting = stories.filter((story) => story.dependsOn.length > 0);
  return waiting.map((story) => `${said(story.id)} depends on ${story.dependsOn.map(said).join(', ')}`).join('; ');
}

function cut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}
