import type { StoryState } from '../../src/contracts/index.ts';
import type { StoryView } from '../../src/rules/view/index.ts';
import { Empty } from '../parts/problem.tsx';
import { said } from '../text.ts';

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
  return waiting.map((story) => `${said(story.id)} waits for ${story.dependsOn.map(said).join(', ')}`).join('; ');
}

function cut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}

/** The fields that a drawing of dependencies needs. */
type GraphStory = Pick<StoryView, 'id' | 'dependsOn'>;

interface Graph<T extends GraphStory> {
  /** Stories that wait for others, or are waited for; those of a layer wait for earlier layers only. */
  readonly layers: readonly (readonly T[])[];
  readonly edges: readonly { readonly from: string; readonly to: string }[];
  /** Stories without any dependency. */
  readonly alone: readonly T[];
}

/**
 * Puts stories into layers: each comes after everything it waits for. Stories in a dependency cycle go into the layer
 * that the rest allows, and are drawn all the same.
 */
export function layersOf<T extends GraphStory>(stories: readonly T[]): Graph<T> {
  const byId = new Map(stories.map((story) => [story.id, story]));
  const edges = stories.flatMap((story) =>
    story.dependsOn.filter((id) => byId.has(id) && id !== story.id).map((id) => ({ from: id, to: story.id })),
  );
  const connected = new Set(edges.flatMap(({ from, to }) => [from, to]));
  const depth = depthsOf(
    stories.filter((story) => connected.has(story.id)),
    byId,
  );
  const layers: T[][] = [];
  for (const story of stories) {
    const layer = depth.get(story.id);
    if (layer === undefined) continue;
    const row = layers[layer] ?? [];
    row.push(story);
    layers[layer] = row;
  }
  return {
    layers: inOrderOfParents(layers.filter((layer) => layer !== undefined)),
    edges,
    alone: stories.filter((story) => !connected.has(story.id)),
  };
}

/** The length of the longest path to each story; without recursion, as a chain may be as long as the backlog. */
function depthsOf(stories: readonly GraphStory[], byId: ReadonlyMap<string, GraphStory>): ReadonlyMap<string, number> {
  const depth = new Map(stories.map((story) => [story.id, 0]));
  // A path without a cycle is shorter than the number of stories.
  for (let round = 0; round < stories.length; round++) {
    let moved = false;
    for (const story of stories) {
      const behind = story.dependsOn
        .filter((id) => byId.has(id) && id !== story.id)
        .reduce((most, id) => Math.max(most, (depth.get(id) ?? 0) + 1), 0);
      if (behind > (depth.get(story.id) ?? 0) && behind < stories.length) {
        depth.set(story.id, behind);
        moved = true;
      }
    }
    if (!moved) break;
  }
  return depth;
}

/** Places stories near those they wait for: fewer lines cross. */
function inOrderOfParents<T extends GraphStory>(layers: readonly (readonly T[])[]): readonly (readonly T[])[] {
  const place = new Map<string, number>();
  return layers.map((layer) => {
    const wish = new Map(layer.map((story, index) => [story.id, mean(story.dependsOn, place) ?? index]));
    const sorted = [...layer].sort((a, b) => (wish.get(a.id) ?? 0) - (wish.get(b.id) ?? 0));
    sorted.forEach((story, index) => {
      place.set(story.id, index);
    });
    return sorted;
  });
}

function mean(ids: readonly string[], place: ReadonlyMap<string, number>): number | null {
  const known = ids.map((id) => place.get(id)).filter((one) => one !== undefined);
  return known.length === 0 ? null : known.reduce((sum, one) => sum + one, 0) / known.length;
}
